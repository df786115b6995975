/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the stream-style back end: the chip as the scheduler sees it, and bursts that are placed together.
 *
 * Nothing on this chip waits, so what belongs together in time is described by a *template*: tracks (one instruction
 * stream each, issued again and again at one interval) tied by wires (values on streams) at fixed distances in time. A
 * template has an origin; isca_place() finds the earliest cycle for it at which queues, streams and memory words allow
 * all of it, and emits it.  All times inside a template are relative to its origin.
 *
 * Slices are numbered west to east by isca_word_location(): side * slices of a hemisphere + slice.
 */
#ifndef TSPSIM_SCHED_EMIT_ISCA20_H
#define TSPSIM_SCHED_EMIT_ISCA20_H

#include "sched/emit/emit.h"
#include "sched/emit/isca20_calendar.h"

enum { ISCA_STREAMS = 32, ISCA_RUN_MAX = 1024, ISCA_SUPERLANES_MAX = 20 };

/* What is known of a memory word. */
typedef struct isca_word {
	int64_t ready;     /* accesses from this cycle on read what was written last; INT64_MIN for host data */
	int64_t read;      /* cycle of the last read, INT64_MIN before any */
	uint32_t instance; /* of the write; 0 for host data */
	bool filled;
} isca_word;

typedef struct isca_slice {
	uint16_t queue;
	int16_t position;
	isca_word *words; /* NULL until used */
} isca_slice;

/* What memory traffic is for. */
enum isca_traffic {
	ISCA_TRAFFIC_OPERANDS,
	ISCA_TRAFFIC_RESULTS,
	ISCA_TRAFFIC_WEIGHTS,
	ISCA_TRAFFIC_ACTIVATIONS,
	ISCA_TRAFFIC_SUMS,
	ISCA_TRAFFIC_BUFFERS,
	ISCA_TRAFFIC_COUNT
};

/* The scheduler's state while one epoch is emitted. */
typedef struct isca {
	isa_program *program;
	const low_program *low;
	const isa_machine *m;
	const sched_options *options;
	sched_report *report;
	GError **error;
	uint32_t epoch, node;
	bool unfilled; /* a word was read that nobody had written: a defect */
	int64_t start;
	int64_t last;          /* cycle in which the last result is there */
	unsigned first_origin; /* slice from which the search for a tile's place begins */
	unsigned slices_per_side, words_per_slice, lanes, superlanes;
	isca_slice *slices; /* [2 * slices_per_side] */
	/* Lines: queues first, then the output latch of each ALU, then the shares of the weight port. */
	isca_line *lines;
	unsigned line_count, first_latch, first_share, shares;
	uint32_t run_words;  /* that a queue may read without a free cycle; 0 = any number */
	unsigned load_bytes; /* bytes of a column that one LW brings at most */
	unsigned first_alu, alus;
	isca_stream streams[2][ISCA_STREAMS]; /* [westward][id] */
	unsigned stream_count;
	int64_t first;                        /* cycle of the first issue */
	uint64_t traffic[ISCA_TRAFFIC_COUNT]; /* bytes */
	uint64_t vxm_ops;                     /* useful ones, lanes counted */
	uint64_t block_macs;                  /* what the matrix unit would do in the time of its blocks, all whole */
	unsigned noted;                       /* loops whose interval is in the report */
	struct isca_memory *memory;
	struct isca_mxm *mxm;
} isca;

isca_word *isca_word_at(const isca *c, uint32_t place); /* PLACE = slice << 16 | address */
static inline bool isca_is_east(const isca *c, unsigned slice)
{
	return slice >= c->slices_per_side;
}
/* The diagonal on which a value passes POSITION in cycle TIME, and back. */
static inline int64_t isca_diagonal(const isca *c, bool west, int position, int64_t time)
{
	int64_t hops = position * c->m->stream_hop_cycles;

	return west ? time + hops : time - hops;
}
static inline int64_t isca_passes(const isca *c, bool west, int position, int64_t diagonal)
{
	int64_t hops = position * c->m->stream_hop_cycles;

	return west ? diagonal - hops : diagonal + hops;
}

/* ---------------------------------------------------------------------------------------------- templates */

typedef struct isca_track isca_track;

/* WIDTH values side by side on consecutive streams, COUNT times. */
typedef struct isca_wire {
	bool west;
	uint8_t width;
	uint8_t id;       /* of the first stream; chosen by isca_place() */
	int64_t diagonal; /* of element 0 */
	uint32_t count;
	int16_t from[ISCA_STREAMS]; /* the driver farthest upstream */
	int16_t to;                 /* the reader farthest downstream */
	isca_track *driver[ISCA_STREAMS];
} isca_wire;

enum isca_feed {
	ISCA_FEED_NONE,
	ISCA_FEED_WIRE,  /* streams FIRST..FIRST+COUNT-1 of a wire */
	ISCA_FEED_TRACK, /* element i of another track (latch, accumulator row) */
	ISCA_FEED_ONE,   /* the first issue of another track, for all elements */
	ISCA_FEED_ROWS   /* weight rows: INSTANCE and following, ROWS of them each (whole operands: INSTANCE, 1) */
};

typedef struct isca_operand {
	enum isca_feed feed;
	int wire;
	uint8_t first, count;
	const isca_track *track;
	uint32_t offset; /* element i takes element i + offset of its producer */
	uint32_t instance;
	uint16_t rows;
	int32_t arrival; /* relative to the issue, or ISA_NO_TIME */
	int64_t due;     /* its cycle, when that is what is known; INT64_MIN otherwise.  For tracks with one element */
} isca_operand;

/* One instruction, issued for elements 0..COUNT-1. */
struct isca_track {
	isa_insn insn; /* fields; cycle, loops and chosen places are filled in when it is emitted */
	int64_t issue; /* of element 0 (units); memory tracks derive it from the wire and the slice */
	uint32_t count;
	uint32_t offset;                 /* memory: element i belongs to element i + offset of the wire */
	int32_t addr_step;               /* units: ADDR from element to element */
	uint32_t *place;                 /* memory: slice << 16 | address, per element */
	uint16_t *spread;                /* GATHER, SCATTER: addresses, one a superlane, per element */
	int drives, samples;             /* wires, -1 = none */
	uint8_t stream;                  /* memory: which stream of the wire */
	uint8_t traffic;                 /* memory: enum isca_traffic */
	unsigned pool_first, pool_count; /* lines it may run on; count 1 = a fixed queue */
	uint32_t hold;                   /* units: cycles by which the line stays taken after the last issue */
	bool uses_latch;
	bool uses_share;
	isca_operand in[ISA_OPERANDS];
	int32_t result; /* relative to the issue */
	int32_t beats;
	/* filled in */
	unsigned line;
	unsigned share;
	GArray *bursts;     /* memory: isca_burst */
	uint32_t *writers;  /* memory: who wrote what it reads; [word of the element][element] */
	uint32_t *instance; /* per element */
};

/* COUNT issues of a memory track on one slice: elements FIRST, FIRST + STRIDE, ... */
typedef struct isca_burst {
	uint32_t slice;
	uint32_t first, stride, count;
	int64_t issue;  /* of the first, relative to the origin */
	uint32_t words; /* of its queue, roughly */
} isca_burst;

/* Cycles FIRST..LAST of a line, relative to the origin. */
typedef struct isca_need {
	unsigned line;
	int64_t first, last;
	uint32_t words;
} isca_need;

typedef struct isca_template {
	isca *c;
	uint32_t interval;
	GArray *wires;     /* isca_wire */
	GPtrArray *tracks; /* isca_track, producers first */
	GArray *fixed;     /* isca_need, of everything that has no choice */
	int64_t earliest;  /* no issue before */
	int64_t origin;    /* not before; then, where it is */
} isca_template;

isca_template *isca_template_new(isca *c, uint32_t interval);
void isca_template_free(isca_template *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(isca_template, isca_template_free)

static inline isca_wire *isca_wire_at(const isca_template *t, int wire)
{
	return &g_array_index(t->wires, isca_wire, wire);
}
/* A wire that passes POSITION with its first element in cycle TIME. */
int isca_add_wire(isca_template *t, bool west, unsigned width, uint32_t count, int position, int64_t time);
/* A READ or WRITE of one stream of a wire; the caller fills place[]. */
isca_track *isca_add_memory(isca_template *t, enum isa_op op, int wire, unsigned stream, uint32_t count);
/* A GATHER of one stream of wire DATA with the addresses on wire MAP; the caller fills place[] (slices) and spread[].
 * Whatever the slice, the data follow the map at the same distance. */
isca_track *isca_add_gather(isca_template *t, int map, int data, unsigned stream, uint32_t count);
/* A SCATTER of one stream of wire DATA with the addresses on wire MAP, which runs beside it. */
isca_track *isca_add_scatter(isca_template *t, int map, int data, unsigned stream, uint32_t count);
/* An instruction of a unit on one of POOL_COUNT lines, first issued ISSUE cycles from the origin. */
isca_track *isca_add_unit(isca_template *t, enum isa_op op, unsigned pool_first, unsigned pool_count, int64_t issue,
                          uint32_t count);
/* Makes TRACK the driver of all streams of WIRE from POSITION on. */
void isca_drive(isca_template *t, isca_track *track, int wire, int position);
/* Makes streams FIRST..FIRST+COUNT-1 of WIRE operand OPERAND of TRACK, sampled at POSITION. */
void isca_sample(isca_template *t, isca_track *track, unsigned operand, int wire, unsigned first, unsigned count,
                 int position);

/* Track K samples its operands not before CYCLE. */
void isca_not_before(isca_template *t, const isca_track *k, int64_t cycle);
enum isca_fit {
	ISCA_FITS,
	ISCA_LONG, /* a queue would have to read more words than it holds without a free cycle */
	ISCA_CLASH /* two tracks need one queue in one cycle, or there are not enough streams or ALUs: no origin can
	              cure that */
};
/* Prepares the memory tracks (bursts) and the earliest origin that memory allows. */
enum isca_fit isca_prepare(isca_template *t);
/* Sets the error for WHAT that came out as ISCA_CLASH: the machine has too little of something. */
void isca_refuse_clash(const isca *c, const char *what);
/* Finds the origin, takes everything, emits.  isca_prepare() found that it fits. */
void isca_place(isca_template *t);

/* isca20_bursts.c: fills a memory track's bursts and writers; the earliest origin at which every word it reads is there
 * and no word it writes is still wanted. */
void isca_cut_bursts(isca_template *t, isca_track *k);
int64_t isca_memory_origin(const isca_template *t, const isca_track *k);
/* A memory track has something to do at POSITION: its wires reach there. */
void isca_extend_wires(isca_template *t, const isca_track *k, int position);
/* Number of words that element I of a memory track touches; PLACES[] gets them, as isca_track.place has them. */
unsigned isca_words_of(const isca *c, const isca_track *k, uint32_t i, uint32_t *places);

/* isca20_insns.c: adds the instructions of a placed template to the program. */
void isca_emit_template(isca_template *t);

/* A stretch of elements that two loops can express: INNER * OUTER elements from FIRST on. */
typedef struct isca_run {
	uint32_t inner, outer;
} isca_run;
/* The longest stretch from element FIRST on in which each of COUNT sequences steps evenly; elements lie STRIDE apart.
 */
isca_run isca_find_run(const uint32_t *const *sequences, unsigned count, uint32_t first, uint32_t stride, uint32_t end);

/* isca20_report.c: what bounds the epoch, and where its bytes go. */
void isca_report(const isca *c);

#endif
