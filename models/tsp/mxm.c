/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix unit: planes of rows x lanes multipliers with a shadow buffer, active weights and accumulator rows.  A
 * plane's buffer holds one byte a multiplier; an fp16 weight lies in the two planes of a pair, low byte in the even
 * one.  Accumulator rows belong to the pair: fp16 row r is cell r; int8 row r of the even plane is cell r, of the odd
 * plane cell (rows of a plane) + r.  The systolic skew inside a plane is not modelled beyond its published delay.
 */
#include "models/tsp/internal.h"
#include "isa/num.h"
#include "models/tsp/mxm_math.h"

enum { ROLE_WEIGHTS, ROLE_ACTIVATIONS, ROLE_ACCUMULATORS };

void tsp_mxm_init(tsp_chip *chip)
{
	const isa_machine *m = chip->machine;
	tsp_mxm *x = &chip->mxm;
	size_t rows = (size_t)m->mxm_rows;

	x->pair_rows = (uint32_t)m->mxm_acc_rows;
	x->plane_rows = MAX(1, x->pair_rows / 2);
	x->acc_cells = MAX(x->pair_rows, 2 * x->plane_rows);
	x->load_cycle = INT64_MIN;
	for (unsigned p = 0; p < m->mxm_planes; p++) {
		tsp_plane *plane = &x->plane[p];

		plane->tag = g_new0(uint32_t, rows);
		plane->due = g_new(int64_t, rows);
		for (size_t r = 0; r < rows; r++)
			plane->due[r] = INT64_MAX;
		plane->lanes = g_new0(uint16_t, rows);
		plane->own = plane->pair = (tsp_use){INT64_MIN, INT64_MIN, INT64_MIN};
		if (chip->functional)
			plane->bytes = g_malloc0(rows * TSP_LANES_MAX);
		if (p % 2 == 0)
			x->acc[p / 2] = g_new0(model_cell, x->acc_cells);
	}
}

static void drop_weights(void *context, void *payload)
{
	tsp_mxm *x = context;
	tsp_weights *w = payload;

	if (--w->refs)
		return;
	w->next = x->spare;
	x->spare = w;
}

static void drop_loading(tsp_chip *chip, tsp_loading *l)
{
	for (unsigned r = 0; l->row && r < l->rows; r++)
		model_value_unref(&chip->pool, l->row[r].value);
	g_free(l->row);
}

void tsp_mxm_fini(tsp_chip *chip)
{
	tsp_mxm *x = &chip->mxm;

	for (unsigned p = 0; p < TSP_PLANES_MAX; p++) {
		tsp_plane *plane = &x->plane[p];

		for (uint32_t i = 0; i < plane->count; i++)
			drop_loading(chip, &plane->loading[plane->first + i]);
		model_cell_clear(&plane->active, drop_weights, x);
		g_free(plane->tag);
		g_free(plane->due);
		g_free(plane->lanes);
		g_free(plane->bytes);
		g_free(plane->loading);
	}
	for (unsigned pair = 0; pair < TSP_PLANES_MAX / 2; pair++) {
		for (uint32_t i = 0; x->acc[pair] && i < x->acc_cells; i++)
			model_cell_clear(&x->acc[pair][i], tsp_drop_value, &chip->pool);
		g_free(x->acc[pair]);
	}
	while (x->spare) {
		tsp_weights *w = x->spare;

		x->spare = w->next;
		g_free(w->columns);
		g_free(w->data);
		g_free(w);
	}
}

static bool is_f16(const tsp_queue *q)
{
	return q->insn.type == ISA_TYPE_F16;
}

static int prepare_lw(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	uint32_t width = isa_type_bytes(insn->type);
	uint32_t bytes = insn->lanes * width;

	q->fault_detail = insn->count;
	if (insn->count > chip->machine->mxm_rows)
		return ISA_VIOLATION_ADDRESS_RANGE;
	if (isa_place_kind(insn->src0) != ISA_PLACE_KIND_STREAM)
		bytes *= insn->count;
	return tsp_place_resolve(q, insn->src0, bytes, insn->count * width, false, &q->src[0]);
}

int tsp_prepare_MXM(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	bool load = insn->op == ISA_OP_LW || insn->op == ISA_OP_IW;
	unsigned role = load ? ROLE_WEIGHTS : insn->op == ISA_OP_ABC ? ROLE_ACTIVATIONS : ROLE_ACCUMULATORS;
	uint32_t width;

	if (q->info->role != role || (insn->type != ISA_TYPE_I8 && insn->type != ISA_TYPE_F16))
		return ISA_VIOLATION_ILLEGAL;
	if (is_f16(q) && insn->op != ISA_OP_LW && q->info->index % 2)
		return ISA_VIOLATION_ILLEGAL;
	if ((load && !insn->count) || (insn->op != ISA_OP_IW && !insn->lanes))
		return ISA_VIOLATION_ILLEGAL;
	q->fault_detail = insn->lanes;
	if (insn->lanes > chip->lanes)
		return ISA_VIOLATION_ADDRESS_RANGE;
	width = isa_type_bytes(insn->type);
	switch (insn->op) {
	case ISA_OP_LW:
		return prepare_lw(chip, q);
	case ISA_OP_IW:
		q->fault_detail = insn->count;
		return insn->count > chip->machine->mxm_rows ? ISA_VIOLATION_ADDRESS_RANGE : TSP_NO_VIOLATION;
	case ISA_OP_ABC:
		if (insn->lanes > chip->machine->mxm_rows)
			return ISA_VIOLATION_ADDRESS_RANGE;
		return tsp_place_resolve(q, insn->src0, insn->lanes * width, width, false, &q->src[0]);
	default:
		return tsp_place_resolve(q, insn->dst, insn->lanes * 4u, 4, true, &q->dst);
	}
}

/* The planes an instruction works on: its own, or the pair's; the first is returned, *COUNT says how many. */
static tsp_plane *planes_of(const tsp_queue *q, unsigned *count)
{
	unsigned index = q->info->index;

	*count = is_f16(q) ? 2 : 1;
	return &q->chip->mxm.plane[is_f16(q) ? index & ~1u : index];
}

static void apply_loading(tsp_plane *plane, const tsp_loading *l)
{
	for (unsigned r = 0; r < l->rows; r++) {
		unsigned at = l->first + r;

		plane->tag[at] = l->tag;
		plane->due[at] = l->due;
		plane->lanes[at] = l->lanes;
		if (plane->bytes) {
			const tsp_row *row = &l->row[r];
			uint8_t *to = plane->bytes + (size_t)at * TSP_LANES_MAX;

			memset(to, 0, TSP_LANES_MAX);
			for (unsigned i = 0; row->value && i < l->lanes; i++)
				to[i] = row->value->data[row->offset + i * row->width];
		}
	}
}

static void settle_plane(tsp_chip *chip, tsp_plane *plane, int64_t now)
{
	while (plane->count && plane->loading[plane->first].due <= now) {
		tsp_loading *l = &plane->loading[plane->first++];

		plane->count--;
		apply_loading(plane, l);
		drop_loading(chip, l);
	}
	if (!plane->count)
		plane->first = 0;
}

/* All loads of a plane take the same time, so they arrive in order; only those of one cycle are put in queue order. */
static void push_loading(tsp_plane *plane, const tsp_loading *l)
{
	uint32_t at;

	if (plane->first + plane->count == plane->capacity) {
		if (plane->first <= plane->capacity / 2) {
			plane->capacity = MAX(16, 2 * plane->capacity);
			plane->loading = g_renew(tsp_loading, plane->loading, plane->capacity);
		}
		memmove(plane->loading, plane->loading + plane->first, plane->count * sizeof *l);
		plane->first = 0;
	}
	for (at = plane->first + plane->count; at > plane->first; at--) {
		const tsp_loading *before = &plane->loading[at - 1];

		if (before->due < l->due || before->queue < l->queue)
			break;
		plane->loading[at] = *before;
	}
	plane->loading[at] = *l;
	plane->count++;
}

/* Bytes BYTE of WIDTH of each row: packed rows of an operand, or streams FOUND. */
static tsp_row *take_rows(const tsp_queue *q, const tsp_operand *packed, const tsp_drive *const *found, unsigned width,
                          unsigned byte)
{
	unsigned rows = q->insn.count;
	tsp_row *row = g_new0(tsp_row, rows);

	for (unsigned r = 0; r < rows; r++) {
		const tsp_drive *d = found ? found[r * width + byte] : NULL;

		if (d && d->value)
			row[r] = (tsp_row){model_value_ref(d->value), d->byte, d->width};
		else if (!found)
			row[r] = (tsp_row){model_value_ref(packed->value),
			                   (uint16_t)(packed->offset + r * q->insn.lanes * width + byte),
			                   (uint16_t)width};
	}
	return row;
}

static void count_load(tsp_chip *chip, tsp_queue *q, uint32_t bytes)
{
	tsp_mxm *x = &chip->mxm;

	if (x->load_cycle != q->now) {
		x->load_cycle = q->now;
		x->load_bytes = 0;
	}
	q->weight_bytes = bytes;
	x->load_bytes += bytes;
	if (x->load_bytes > (uint64_t)chip->machine->mxm_weight_bytes && !chip->load_overuse) {
		chip->load_overuse = true;
		tsp_audit_now(q);
	}
}

void tsp_exec_LW(tsp_chip *chip, tsp_queue *q)
{
	const isa_insn *insn = &q->insn;
	unsigned width = isa_type_bytes(insn->type);
	uint32_t bytes = insn->count * insn->lanes * width;
	int64_t due = q->now + chip->delay[ISA_TIMING_MXM_LW];
	const tsp_drive *found[TSP_STREAM_WEST];
	bool streams = q->src[0].kind == ISA_PLACE_KIND_STREAM;
	tsp_operand packed = {NULL, 0};
	unsigned planes;
	tsp_plane *plane = planes_of(q, &planes);

	if (q->addr < 0 || q->addr + insn->count > chip->machine->mxm_rows) {
		tsp_violate(q, ISA_VIOLATION_ADDRESS_RANGE, q->now, TSP_NO_INSN, q->addr);
		tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
		return;
	}
	count_load(chip, q, bytes);
	if (streams) {
		bool reported = false;
		model_expect e;

		tsp_expect(q, 0, &e);
		for (unsigned k = 0; k < q->src[0].count; k++)
			found[k] = tsp_sample_stream(q, 0, q->src[0].index + k, q->now, &e, &reported);
	} else {
		tsp_sample(q, 0, 0, q->now, &packed);
	}
	for (unsigned p = 0; p < planes; p++) {
		tsp_loading l = {
			.due = due,
			.filed = q->now,
			.tag = q->tag,
			.first = (uint16_t)q->addr,
			.rows = (uint16_t)insn->count,
			.lanes = insn->lanes,
			.queue = q->number,
		};

		if (chip->functional)
			l.row = take_rows(q, &packed, streams ? found : NULL, width, p);
		settle_plane(chip, &plane[p], q->now);
		push_loading(&plane[p], &l);
	}
	tsp_note_due(chip, due);
	tsp_report(q, due, NULL, 0, 0, bytes);
}

bool tsp_mxm_is_loading(const tsp_plane *plane, uint32_t tag, unsigned row, int64_t now)
{
	for (uint32_t i = 0; i < plane->count; i++) {
		const tsp_loading *l = &plane->loading[plane->first + i];

		if (l->tag == tag && l->filed < now && row >= l->first && row - l->first < l->rows)
			return true;
	}
	return false;
}

/* Checks row R of the shadow buffer; false when it was reported. */
static bool check_row(tsp_queue *q, const tsp_plane *plane, unsigned r, bool named, uint32_t tag)
{
	tsp_miss miss = {.place = TSP_MISS_PLANE, .plane = plane, .time = q->now};
	bool loaded = plane->due[r] != INT64_MAX;

	if (loaded)
		q->arrival[0] = MAX(q->arrival[0], plane->due[r]);
	if (G_LIKELY(loaded && (!named || plane->tag[r] == tag)))
		return true;
	tsp_miss_operand(q, &miss, loaded ? ISA_VIOLATION_WRONG_OPERAND : ISA_VIOLATION_IW_BEFORE_WEIGHTS, named, tag,
	                 loaded ? plane->tag[r] : 0, r);
	return false;
}

static void check_rows(tsp_queue *q, const tsp_plane *plane, unsigned planes)
{
	bool fine = true;
	model_expect e;

	tsp_expect(q, 0, &e);
	for (unsigned r = 0; r < q->insn.count;) {
		bool named;
		uint32_t tag;
		unsigned end = r + model_expect_run(&e, q->insn.count - r, &named, &tag);

		for (; r < end; r++)
			for (unsigned p = 0; p < planes && fine; p++)
				fine = check_row(q, &plane[p], r, named, tag);
	}
}

static tsp_weights *new_weights(tsp_chip *chip)
{
	tsp_mxm *x = &chip->mxm;
	tsp_weights *w = x->spare;

	if (w) {
		x->spare = w->next;
		return w;
	}
	w = g_new0(tsp_weights, 1);
	w->columns = g_new0(uint32_t, (size_t)chip->machine->mxm_rows + 1);
	if (chip->functional)
		w->data = g_malloc((size_t)chip->machine->mxm_rows * TSP_LANES_MAX * sizeof(float));
	return w;
}

static tsp_weights *install(tsp_chip *chip, tsp_queue *q, const tsp_plane *plane)
{
	tsp_weights *w = new_weights(chip);
	size_t count = (size_t)q->insn.count * TSP_LANES_MAX;

	w->type = q->insn.type;
	w->rows = (uint16_t)q->insn.count;
	w->lanes = 0;
	for (unsigned r = 0; r < w->rows; r++) {
		uint16_t width = is_f16(q) ? MAX(plane[0].lanes[r], plane[1].lanes[r]) : plane->lanes[r];

		w->lanes = MAX(w->lanes, width);
		w->columns[r + 1] = w->columns[r] + width;
	}
	if (!chip->functional)
		return w;
	if (is_f16(q))
		for (size_t i = 0; i < count; i++)
			w->f16[i] = num_f16_to_f32((num_f16)(plane[0].bytes[i] | plane[1].bytes[i] << 8));
	else
		memcpy(w->i8, plane->bytes, count);
	return w;
}

void tsp_exec_IW(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MXM_IW];
	unsigned planes;
	tsp_plane *plane = planes_of(q, &planes);
	tsp_weights *w;

	for (unsigned p = 0; p < planes; p++)
		settle_plane(chip, &plane[p], q->now);
	check_rows(q, plane, planes);
	w = install(chip, q, plane);
	w->refs = planes;
	for (unsigned p = 0; p < planes; p++) {
		model_version version = {due, q->now, w, q->tag, q->number, 0};

		model_cell_put(&plane[p].active, &version, drop_weights, &chip->mxm);
	}
	tsp_note_due(chip, due);
	tsp_report(q, due, NULL, 0, 0, 0);
}

/* Is something used in an earlier cycle still busy at NOW? */
static bool is_busy(const tsp_use *use, int64_t now)
{
	return (use->start == now ? use->before : use->until) > now;
}

static void occupy(tsp_use *use, int64_t now, int64_t cycles)
{
	*use = (tsp_use){now, now + cycles, use->until};
}

/* An ABC needs its plane, or its pair, for some cycles.  When two queues take the odd plane in one cycle, the audit
 * blames the higher one, the plane's own. */
static void occupy_planes(tsp_chip *chip, tsp_queue *q, tsp_plane *plane)
{
	int64_t cycles = is_f16(q) ? chip->machine->mxm_fp16_interval_cycles : chip->machine->mxm_int8_interval_cycles;
	bool busy = is_busy(&plane->own, q->now) || is_busy(&plane->pair, q->now);

	if (is_f16(q)) {
		busy = busy || is_busy(&plane[1].own, q->now);
		chip->plane_overuse = chip->plane_overuse || plane[1].own.start == q->now;
		occupy(&plane[0].pair, q->now, cycles);
		occupy(&plane[1].pair, q->now, cycles);
	} else {
		chip->plane_overuse = chip->plane_overuse || plane->pair.start == q->now;
		occupy(&plane->own, q->now, cycles);
	}
	if (chip->plane_overuse)
		tsp_audit_now(q);
	if (busy)
		tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, q->now, TSP_NO_INSN, q->info->index);
	chip->counters.mxm_busy_cycles += (uint64_t)(is_f16(q) ? 2 * cycles : cycles);
}

static model_cell *acc_cell(tsp_queue *q)
{
	tsp_mxm *x = &q->chip->mxm;
	uint32_t rows = is_f16(q) ? x->pair_rows : x->plane_rows;
	uint32_t first = is_f16(q) || q->info->index % 2 == 0 ? 0 : x->plane_rows;

	if (G_LIKELY(q->addr >= 0 && q->addr < rows))
		return &x->acc[q->info->index / 2][first + q->addr];
	tsp_violate(q, ISA_VIOLATION_ACC_OVERFLOW, q->now, TSP_NO_INSN, q->addr);
	return NULL;
}

/* What the row holds when this ABC reaches it; what another queue files in this very cycle does not count. */
static const model_version *row_before(const tsp_queue *q, model_cell *cell, int64_t due)
{
	const model_version *v = model_cell_versions(cell);

	for (uint32_t i = cell->count; i-- > 0;)
		if (v[i].due <= due && v[i].filed < q->now)
			return &v[i];
	return NULL;
}

/* What an ABC multiplies; NULL when one of its planes holds nothing, or weights of the other type.  An IW of a pair
 * takes both planes: where both hold fp16 weights they are the same. */
static const tsp_weights *weights_for(tsp_queue *q, tsp_plane *plane, unsigned planes)
{
	const tsp_weights *w = NULL;
	bool fine = true, usable = true;

	for (unsigned p = 0; p < planes; p++) {
		const model_version *v = model_cell_at(&plane[p].active, q->now);
		bool fits;

		w = v ? v->payload : NULL;
		fits = w && w->type == q->insn.type;
		usable = usable && fits;
		fine = fine && tsp_check_version(q, 1, &plane[p].active, v, q->now, q->info->index + p);
		if (!fine || fits)
			continue;
		fine = false;
		tsp_violate(q, ISA_VIOLATION_WRONG_OPERAND, q->now, tsp_insn_of(q->chip, v->tag), q->info->index + p);
	}
	return usable ? w : NULL;
}

/* W may be NULL when K is 0. */
static void sum_f16(const tsp_chip *chip, const uint8_t *a, const tsp_weights *w, unsigned k, const model_value *before,
                    model_value *sum)
{
	float x[TSP_LANES_MAX];
	float *out = (float *)(void *)sum->data;
	const float *old = before ? (const float *)(const void *)before->data : NULL;
	unsigned sum_rows = (unsigned)chip->machine->mxm_fp16_sum_rows, lanes = k ? w->lanes : 0;

	for (unsigned i = 0; i < k; i++)
		x[i] = num_f16_to_f32((num_f16)(a[2 * i] | a[2 * i + 1] << 8));
	if (k && w->columns[k] != k * lanes)
		tsp_mxm_f16_ragged(x, w->f16, w->columns, k, sum_rows, out);
	else if (k)
		tsp_mxm_f16(x, w->f16, k, sum_rows, out);
	memset(out + lanes, 0, (TSP_LANES_MAX - lanes) * sizeof *out);
	for (unsigned i = 0; i < TSP_LANES_MAX; i++)
		out[i] = num_canonical(old ? old[i] + out[i] : out[i]);
}

/* Returns whether a sum wrapped. */
static bool sum_i8(const uint8_t *a, const tsp_weights *w, unsigned k, const model_value *before, model_value *sum)
{
	int32_t *out = (int32_t *)(void *)sum->data;
	const int32_t *old = before ? (const int32_t *)(const void *)before->data : NULL;
	bool wrapped = false;

	tsp_mxm_i8((const int8_t *)a, w->i8, k, out);
	for (unsigned i = 0; old && i < TSP_LANES_MAX; i++)
		wrapped |= __builtin_add_overflow(old[i], out[i], &out[i]);
	return wrapped;
}

/* The new content of the row, functional mode. */
static model_value *accumulate(tsp_chip *chip, tsp_queue *q, const tsp_operand *activation, const tsp_weights *w,
                               const model_value *before, int64_t due)
{
	unsigned k = w ? MIN(q->insn.lanes, w->rows) : 0;
	model_value *sum = model_value_new(&chip->pool);

	if (is_f16(q))
		sum_f16(chip, tsp_operand_bytes(activation), w, k, before, sum);
	else if (!k)
		memcpy(sum->data, before ? before->data : chip->zero->data, sizeof sum->data);
	else if (sum_i8(tsp_operand_bytes(activation), w, k, before, sum))
		tsp_violate(q, ISA_VIOLATION_INT_OVERFLOW, due, TSP_NO_INSN, q->addr);
	return sum;
}

void tsp_exec_ABC(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MXM_ABC];
	unsigned planes;
	tsp_plane *plane = planes_of(q, &planes);
	model_cell *cell = acc_cell(q);
	const model_version *before = NULL;
	model_version version = {due, q->now, NULL, q->tag, q->number, 0};
	const tsp_weights *w;
	tsp_operand activation;
	uint64_t macs;

	occupy_planes(chip, q, plane);
	tsp_sample(q, 0, 0, q->now, &activation);
	w = weights_for(q, plane, planes);
	macs = w ? w->columns[MIN(q->insn.lanes, w->rows)] : 0;
	chip->counters.macs += macs;
	if (!cell) {
		tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, (uint32_t)macs);
		return;
	}
	if (q->insn.mode) {
		before = row_before(q, cell, due);
		tsp_check_version(q, 2, cell, before, due, q->addr);
	}
	if (chip->functional)
		version.payload = accumulate(chip, q, &activation, w, before ? before->payload : NULL, due);
	model_cell_put(cell, &version, tsp_drop_value, &chip->pool);
	tsp_note_due(chip, due);
	tsp_report(q, due, NULL, 0, 0, (uint32_t)macs);
}

void tsp_exec_ACC(tsp_chip *chip, tsp_queue *q)
{
	int64_t due = q->now + chip->delay[ISA_TIMING_MXM_ACC];
	model_cell *cell = acc_cell(q);
	const model_version *v;
	model_value *value = NULL;

	if (!cell) {
		tsp_report(q, PROBE_NO_TIME, NULL, 0, 0, 0);
		return;
	}
	v = model_cell_at(cell, q->now);
	tsp_check_version(q, 0, cell, v, q->now, q->addr);
	if (chip->functional) {
		const model_value *row = v && v->payload ? v->payload : chip->zero;

		value = model_value_new(&chip->pool);
		memcpy(value->data, row->data, q->insn.lanes * 4u);
		model_value_seal(value, q->insn.lanes * 4u);
	}
	tsp_write(q, due, value);
	tsp_report(q, due, NULL, 0, 0, q->insn.lanes);
}

static void audit_loads(tsp_chip *chip, int64_t now)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];

		if (q->now != now || !q->weight_bytes)
			continue;
		used += q->weight_bytes;
		if (used > (uint64_t)chip->machine->mxm_weight_bytes)
			tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, now, TSP_NO_INSN, (int64_t)chip->mxm.load_bytes);
	}
}

static void audit_planes(tsp_chip *chip, int64_t now)
{
	for (uint32_t i = 0; i < chip->queue_count; i++) {
		tsp_queue *q = &chip->queues[i];
		const tsp_plane *plane;

		if (q->now != now || q->info->unit != ISA_UNIT_MXM || q->insn.op != ISA_OP_ABC || is_f16(q))
			continue;
		plane = &chip->mxm.plane[q->info->index];
		if (plane->own.start == now && plane->pair.start == now && !is_busy(&plane->own, now) &&
		    !is_busy(&plane->pair, now))
			tsp_violate(q, ISA_VIOLATION_PORT_OVERUSE, now, TSP_NO_INSN, q->info->index);
	}
}

void tsp_mxm_audit(tsp_chip *chip, int64_t now)
{
	if (chip->load_overuse)
		audit_loads(chip, now);
	if (chip->plane_overuse)
		audit_planes(chip, now);
	chip->load_overuse = chip->plane_overuse = false;
}
