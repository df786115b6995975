#include "tests/lib/tap.h"
int main(void){return 0;}
