/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing arm64 instructions one after the other.
 *
 * An emitter without a buffer only counts.  @at is where the first instruction
 * will be.  Each function here is one instruction, or as many as its comment
 * gives; registers are numbers, and 31 is xzr or, in an address, sp.
 */
#ifndef _ARCH_ARM64_KERNEL_FTRACE_EMIT_H
#define _ARCH_ARM64_KERNEL_FTRACE_EMIT_H

#include <linux/bug.h>
#include <linux/types.h>

#include <asm/insn.h>
#include <asm/sysreg.h>

#define EMIT_FP		29
#define EMIT_LR		30
#define EMIT_SP		31
#define EMIT_ZR		31

struct emitter {
	void		*buf;
	size_t		len;
	unsigned long	at;
	size_t		helpers;	/* offset of the helpers' veneers */
	size_t		calls;		/* offset of struct tramp_call */
	unsigned int	used;		/* helpers that are called, a bit each */
	bool		args_gone;	/* x9 and x30 are not the site's any more */
};

static inline void emit(struct emitter *e, u32 insn)
{
	if (e->buf)
		*(__le32 *)(e->buf + e->len) = cpu_to_le32(insn);
	e->len += AARCH64_INSN_SIZE;
}

/* Not an instruction: what the code loads. */
static inline void emit_u64(struct emitter *e, u64 value)
{
	if (e->buf)
		*(u64 *)(e->buf + e->len) = value;
	e->len += sizeof(value);
}

static inline unsigned long emit_here(const struct emitter *e)
{
	return e->at + e->len;
}

/* stp xa, xb, [sp, #disp] */
static inline void emit_store_pair(struct emitter *e, int a, int b, int disp)
{
	emit(e, 0xa90003e0 | (disp / 8) << 15 | b << 10 | a);
}

/* ldp xa, xb, [sp, #disp] */
static inline void emit_load_pair(struct emitter *e, int a, int b, int disp)
{
	emit(e, 0xa94003e0 | (disp / 8) << 15 | b << 10 | a);
}

/* str x, [sp, #disp] */
static inline void emit_store(struct emitter *e, int reg, int disp)
{
	emit(e, 0xf90003e0 | (disp / 8) << 10 | reg);
}

/* ldr x, [sp, #disp] */
static inline void emit_load(struct emitter *e, int reg, int disp)
{
	emit(e, 0xf94003e0 | (disp / 8) << 10 | reg);
}

/* ldr xreg, [xbase, #disp]; ldr and str wreg, [xbase, #disp] */
static inline void emit_load_from(struct emitter *e, int reg, int base, int disp)
{
	emit(e, 0xf9400000 | (disp / 8) << 10 | base << 5 | reg);
}

static inline void emit_load32_from(struct emitter *e, int reg, int base,
				    int disp)
{
	emit(e, 0xb9400000 | (disp / 4) << 10 | base << 5 | reg);
}

static inline void emit_store32_to(struct emitter *e, int reg, int base,
				   int disp)
{
	emit(e, 0xb9000000 | (disp / 4) << 10 | base << 5 | reg);
}

/* add xto, xfrom, #imm; either may be sp */
static inline void emit_add(struct emitter *e, int to, int from, int imm)
{
	emit(e, 0x91000000 | imm << 10 | from << 5 | to);
}

/* sub xto, xfrom, #imm; either may be sp */
static inline void emit_sub(struct emitter *e, int to, int from, int imm)
{
	emit(e, 0xd1000000 | imm << 10 | from << 5 | to);
}

/* add or sub wreg, wreg, #1 */
static inline void emit_add32_one(struct emitter *e, int reg)
{
	emit(e, 0x11000400 | reg << 5 | reg);
}

static inline void emit_sub32_one(struct emitter *e, int reg)
{
	emit(e, 0x51000400 | reg << 5 | reg);
}

/* orr xto, xa, xb; with xzr it is mov xto, xb */
static inline void emit_or(struct emitter *e, int to, int a, int b)
{
	emit(e, 0xaa000000 | b << 16 | a << 5 | to);
}

static inline void emit_move(struct emitter *e, int to, int from)
{
	emit_or(e, to, EMIT_ZR, from);
}

/* add xto, xa, xb */
static inline void emit_add_reg(struct emitter *e, int to, int a, int b)
{
	emit(e, 0x8b000000 | b << 16 | a << 5 | to);
}

/* mov xreg, #imm, in four instructions whatever it is */
static inline void emit_imm(struct emitter *e, int reg, u64 imm)
{
	unsigned int i;

	emit(e, 0xd2800000 | (imm & 0xffff) << 5 | reg);
	for (i = 1; i < 4; i++)
		emit(e, 0xf2800000 | i << 21 | (imm >> 16 * i & 0xffff) << 5 |
			reg);
}

/* mrs xreg, sysreg */
static inline void emit_read_sysreg(struct emitter *e, int reg, u32 sysreg)
{
	emit(e, 0xd5200000 | sysreg | reg);
}

/* msr sysreg, xreg */
static inline void emit_write_sysreg(struct emitter *e, u32 sysreg, int reg)
{
	emit(e, 0xd5000000 | sysreg | reg);
}

/* ldr xreg, literal: up to 1 MiB away; @offset is the literal's */
static inline void emit_load_literal(struct emitter *e, int reg, size_t offset)
{
	emit(e, 0x58000000 | ((offset - e->len) / 4 & 0x7ffff) << 5 | reg);
}

static inline void emit_branch_link(struct emitter *e, unsigned long to)
{
	emit(e, aarch64_insn_gen_branch_imm(emit_here(e), to,
					    AARCH64_INSN_BRANCH_LINK));
}

/* br xreg; ret xreg */
static inline void emit_branch_reg(struct emitter *e, int reg)
{
	emit(e, 0xd61f0000 | reg << 5);
}

static inline void emit_return(struct emitter *e, int reg)
{
	emit(e, 0xd65f0000 | reg << 5);
}

/*
 * Branches forward, whose distance emit_land() fills in: its place in the
 * instruction is 19 bits wide for cbnz, 14 for tbnz.
 */
#define EMIT_CBNZ	0xb5000000	/* cbnz x */
#define EMIT_TBNZ_SIGN	0x37f80000	/* tbnz w, #31 */

static inline size_t emit_skip(struct emitter *e, u32 opcode, int reg)
{
	emit(e, opcode | reg);
	return e->len;
}

static inline void emit_land(struct emitter *e, size_t from)
{
	size_t distance = e->len - from + AARCH64_INSN_SIZE;

	if (!from || WARN_ON_ONCE(distance >= SZ_32K))
		return;
	if (e->buf)
		*(__le32 *)(e->buf + from - AARCH64_INSN_SIZE) |=
			cpu_to_le32(distance / AARCH64_INSN_SIZE << 5);
}

#endif /* _ARCH_ARM64_KERNEL_FTRACE_EMIT_H */
