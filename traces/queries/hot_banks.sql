-- SPDX-License-Identifier: Apache-2.0
-- Which banks had the most requests?  The first ten.
--
-- bank []: number
-- requests []: block requests
-- share [fraction]: of all requests
-- over_mean []: requests / requests of a bank on average
-- wait [cycles]: requests waited for others in this bank
-- slip [cycles]: the machine was frozen because of it
SELECT id AS bank, requests AS requests,
       requests * 1.0 / (SELECT nullif(sum(requests), 0) FROM bank) AS share,
       requests / (SELECT nullif(avg(requests), 0) FROM bank) AS over_mean,
       wait AS wait, slip AS slip
FROM bank WHERE requests > 0 ORDER BY requests DESC, id LIMIT 10;
