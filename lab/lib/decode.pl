#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# decode.pl MAP START <DISASSEMBLY: whether instructions begin where objdump finds
# them. MAP has a byte for each byte of text from START on, 0 where none begins.
use strict;
use warnings;

my ($file, $start) = @ARGV;
open(my $handle, '<:raw', $file) or die "$file: $!\n";
my $map = do { local $/; <$handle> };
$start = hex($start);

# A byte for each byte of text: what objdump finds there.
my $theirs = "\0" x length($map);
my (@symbols, %bad);

while (my $line = <STDIN>) {
	if ($line =~ /^\s*([0-9a-f]+):\t(.*)/) {
		my $at = hex($1) - $start;
		substr($theirs, $at, 1) = '+';
		$bad{$at} = 1 if $2 =~ /\(bad\)/;
	} elsif ($line =~ /^([0-9a-f]+) <(.*)>:$/) {
		push @symbols, [hex($1) - $start, $2];
	}
}

my ($differ, $data, $nr) = (0, 0, 0);
(my $ours = $map) =~ tr/\0!/+/c;
$ours =~ tr/!/\0/;
for my $i (0 .. $#symbols) {
	my ($at, $name) = @{$symbols[$i]};
	my $end = $i < $#symbols ? $symbols[$i + 1][0] : length($map);
	my $xor = substr($ours, $at, $end - $at) ^ substr($theirs, $at, $end - $at);
	$nr += substr($theirs, $at, $end - $at) =~ tr/+//;
	next unless $xor =~ /[^\0]/;
	my $where = $-[0];
	if (grep { $bad{$_} } $at .. $end - 1) {
		printf "      data: %s, from +0x%x\n", $name, $where;
		$data++;
		next;
	}
	printf "      DIFFERENT: %s+0x%x: only %s begins an instruction there\n",
		$name, $where,
		substr($ours, $at + $where, 1) eq '+' ? 'ours' : 'objdump';
	$differ++;
}
printf "      %d symbols, %d instructions: %d symbols differ, %d have data in them\n",
	scalar @symbols, $nr, $differ, $data;
exit($differ || !$nr);
