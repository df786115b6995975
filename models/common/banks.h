/* SPDX-License-Identifier: Apache-2.0
 *
 * Banks behind a bank map: per-bank first-in first-out service, PORTS requests at a time, SERVICE cycles each.  The
 * caller presents accesses ordered by (cycle, queue); the requests of one access are ordered by its packed blocks.
 * Runs of blocks under a modulo map are intervals of banks: while nothing is queued, a cycle's accesses are served by
 * bit masks, and only a clash falls back to request by request.
 */
#ifndef TSPSIM_MODELS_COMMON_BANKS_H
#define TSPSIM_MODELS_COMMON_BANKS_H

#include "isa/bankmap.h"
#include "models/common/store.h"

enum { MODEL_BANKS_MAX = 4096 };

typedef struct model_banks {
	const bankmap *map;
	uint64_t bytes; /* of the memory */
	uint32_t block_bytes;
	int shift;        /* log2 of block_bytes, -1 when it is no power of two */
	uint32_t banks;   /* that the map reaches */
	uint32_t modulus; /* bank = block mod this, else 0 */
	uint32_t service; /* cycles a request holds a port */
	uint32_t ports;
	uint32_t words; /* of a mask */
	bool ideal;     /* requests never meet */
	bool lockstep;  /* whatever a cycle leaves behind is gone in the next one */
	bool simple;    /* one port and one cycle a request under a modulo map: masks suffice while nothing is queued */
	bool queued;    /* in this cycle, does `free` and not `mask` tell what is taken? */
	int64_t now;    /* cycle of the last access */
	int64_t busy_until;  /* when the last port of those in `free` is free again */
	uint64_t *mask;      /* banks taken in cycle `now` */
	int64_t *free;       /* [banks * ports]: when a port is free again */
	uint32_t *own;       /* [banks]: requests of the present access */
	uint16_t *touched;   /* [banks]: banks with own > 0 */
	int64_t *count_edge; /* [banks + 1]: differences of request counts, from interval to interval */
	uint64_t *wait;      /* [banks]: cycles that requests waited */
	/* Who meets whom: kept exactly where something queues. */
	uint32_t who;     /* asks next; the caller's to set */
	uint32_t *last;   /* [banks]: who asked last */
	uint32_t *before; /* [banks]: the last one before that who was somebody else */
	GArray *masks;    /* uint64_t: banks taken by each access served by masks in cycle `now`, `words` each */
	GArray *masked;   /* uint32_t: who those were */
} model_banks;

typedef struct model_service {
	int64_t end; /* cycle in which the last request finishes */
	uint32_t requests;
	uint32_t delayed; /* of them not started in the cycle they were presented */
	uint32_t beats;   /* cycles alone in the memory; 0 without requests */
	uint32_t bank;    /* in which the last request to finish was served */
	uint32_t other;   /* if the access ended later than alone: whose requests it waited behind in that bank */
} model_service;

void model_banks_init(model_banks *b, const bankmap *map, uint64_t bytes, uint32_t block_bytes, uint32_t port_bytes,
                      uint32_t ports, bool lockstep);
void model_banks_fini(model_banks *b);

/* Serves the requests of SHAPE presented at NOW; runs that leave the memory present none. */
void model_banks_serve(model_banks *b, const model_shape *shape, int64_t now, model_service *service);

/* Makes room for other maps, which reach BANKS banks.  Before anything is served. */
void model_banks_widen(model_banks *b, uint32_t banks);

/* The same under another map, for memory that lies under it; MAP reaches no bank beyond those there is room for. */
void model_banks_serve_under(model_banks *b, const bankmap *map, const model_shape *shape, int64_t now,
                             model_service *service);

/* Requests of SHAPE under MAP for each bank, added to COUNT[banks]. */
void model_banks_count(const model_banks *b, const bankmap *map, const model_shape *shape, uint32_t *count);

/* Requests so far, added up into COUNT[banks]. */
void model_banks_totals(const model_banks *b, uint64_t *count);

#endif
