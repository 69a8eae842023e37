/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BENCHMARK_CHAIN_H
#define GPU_FABRIC_BENCHMARK_CHAIN_H

/**
 * The yardstick: packets of 1,000 B, one each 90 ns, over a chain of four of ns-3's own
 * PointToPointNetDevices at 100 Gb/s with links of 1 us, without a protocol stack, under ns-3's
 * own engine. A packet over one link is a packet-hop.
 * \returns packet-hops in a CPU second [10^6/s]
 */
double RunPointToPointChain();

#endif // GPU_FABRIC_BENCHMARK_CHAIN_H
