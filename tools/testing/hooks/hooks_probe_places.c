// SPDX-License-Identifier: GPL-2.0
/* Four hundred functions of 250 instructions: 100,000 places for probes. */
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/stringify.h>

#include <asm/ibt.h>

#include "hooks_probe_places.h"

#define STRIDE	272

asm(".pushsection .text, \"ax\"\n"
	".altmacro\n"
	".macro hooks_places_make nr\n"
	".balign 16, 0x90\n"
	".type hooks_places_\\nr, @function\n"
	"hooks_places_\\nr:\n"
	ASM_ENDBR
	"	.rept 250\n"
	"	nop\n"
	"	.endr\n"
	ASM_RET
	".org hooks_places_\\nr + " __stringify(STRIDE) ", 0x90\n"
	".size hooks_places_\\nr, . - hooks_places_\\nr\n"
	".endm\n"
	".balign 16, 0x90\n"
	"hooks_places_first:\n"
	".set hooks_nr, 0\n"
	".rept " __stringify(PLACES_FUNCTIONS) "\n"
	"hooks_places_make %hooks_nr\n"
	".set hooks_nr, hooks_nr + 1\n"
	".endr\n"
	".noaltmacro\n"
	".popsection\n");

/* Address of place @i, below PLACES; far from those with numbers beside it. */
unsigned long hooks_probe_place(unsigned int i)
{
	return (unsigned long)hooks_places_first + ENDBR_INSN_SIZE +
	       i % PLACES_FUNCTIONS * STRIDE + i / PLACES_FUNCTIONS;
}
