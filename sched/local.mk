noinst_LIBRARIES += libsched.a
libsched_a_SOURCES = \
	sched/alg/problem.c sched/alg/problem.h sched/alg/calendar.c sched/alg/calendar.h \
	sched/alg/list.c sched/alg/list.h \
	sched/sched.h sched/ir/graph.h sched/frontend/frontend.h sched/lower/lower.h \
	sched/sched.c sched/emit/emit.h
