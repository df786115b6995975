/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of values share: number formats of the tests' own, seeded vectors with awkward elements, images as
 * assembly text.
 */
#ifndef TSPSIM_TESTS_UNIT_MODEL_VALUES_H
#define TSPSIM_TESTS_UNIT_MODEL_VALUES_H

#include "isa/rng.h"
#include "tests/unit/model_rig.h"

double values_half_value(uint16_t h); /* exact; NaN and infinity as such */
uint16_t values_half_of(double x);    /* rounded to nearest even, NaN canonical */
float values_float_of(uint32_t bits);
uint32_t values_bits_of(float f); /* NaN canonical */
bool values_is_float(int type);
unsigned values_width(int type); /* bytes */

/* Element I of packed DATA as a double: exact for all types. */
double values_element(const uint8_t *data, unsigned i, int type);
void values_put_integer(uint8_t *data, unsigned i, int type, int64_t value); /* wrapped */
void values_put_float(uint8_t *data, unsigned i, int type, float value);     /* rounded once */

/* Random elements, with zeros of both signs, denormals, infinities and NaN among floating ones. */
void values_fill(rng *random, uint8_t *data, unsigned lanes, int type);

/* Appends host data to an assembly text. */
void values_image(GString *text, uint64_t location, const uint8_t *data, unsigned bytes);
/* The memory after the run; ends the case when it is not known. */
void values_read(rig *r, uint64_t location, uint8_t *out, unsigned bytes);
/* Fails the case at the first of N elements of WIDTH bytes that differ. */
void values_compare(const char *what, const uint8_t *got, const uint8_t *want, unsigned n, unsigned width);

#endif
