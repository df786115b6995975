noinst_LIBRARIES += libsched.a
libsched_a_SOURCES = \
	sched/sched.h sched/ir/graph.h sched/frontend/frontend.h sched/lower/lower.h
