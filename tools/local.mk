bin_PROGRAMS += tspsim
tspsim_SOURCES = \
	tools/tspsim.c
nodist_EXTRA_tspsim_SOURCES = tools/dummy.cxx
tspsim_LDADD = libsched.a libmodels.a libtraces.a libsim.a libisa.a \
	$(SYSTEMC_LIBS) $(SQLITE_LIBS) $(YAML_LIBS) $(GLIB_LIBS) -lm -lpthread
