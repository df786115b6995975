-- SPDX-License-Identifier: Apache-2.0
-- How evenly were the banks used?
--
-- banks []: that the machine has
-- used []: that had at least one request
-- requests []: block requests, all banks
-- mean []: requests of a bank
-- max []: requests of the busiest bank
-- busiest []: its number
-- imbalance []: max / mean; 1 is even
-- wait [cycles]: requests waited for others in their bank, all banks
-- wait_each [cycles]: wait / requests
-- slip [cycles]: the machine was frozen
SELECT count(*) AS banks,
       sum(requests > 0) AS used,
       sum(requests) AS requests,
       avg(requests) AS mean,
       max(requests) AS max,
       (SELECT id FROM bank ORDER BY requests DESC, id LIMIT 1) AS busiest,
       max(requests) / avg(requests) AS imbalance,
       sum(wait) AS wait,
       sum(wait) * 1.0 / sum(requests) AS wait_each,
       sum(slip) AS slip
FROM bank;
