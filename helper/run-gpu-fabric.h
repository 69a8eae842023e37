/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_GPU_FABRIC_H
#define GPU_FABRIC_RUN_GPU_FABRIC_H

namespace ns3
{

/**
 * The whole of gpu-fabric-run as a function: runs a scenario file, one or all points of its sweep,
 * or compares the schedulers of a result database, as the arguments say. `--help` lists them.
 *
 * This is how a program of your own runs scenarios with algorithms of your own, which are compiled
 * into it and register their TypeId (examples/gpu-fabric-own-scheduler.cc):
 * \code
 *   int
 *   main(int argc, char* argv[])
 *   {
 *       return ns3::RunGpuFabric(argc, argv);
 *   }
 * \endcode
 *
 * The points of a sweep are processes of the program that calls this, with `--scenario`, `--point`,
 * `--out` and other options as arguments: so they have the same algorithms, and a program that has
 * options of its own must hand on these. The resolution of time becomes 1 ps, and the simulator
 * ns3::FabricSimulatorImpl unless the arguments say otherwise; neither can be changed once a
 * simulator exists, so call this first.
 *
 * \param argc, argv as of main(); argv[0] names the program in messages
 * \returns the exit status of the process: 0 done, 1 points of a sweep have failed, 2 wrong input
 * or the output exists already, 3 an invariant is violated, 4 the results cannot be written, 128
 * plus the number of the signal that has interrupted it. Ends the process itself after --help,
 * --version and the --Print options, with 0.
 */
int RunGpuFabric(int argc, char* argv[]);

/**
 * The whole of gpu-fabric-collective: proves that the MSCCL XML file of a collective algorithm does
 * what it says, and describes it.
 * \param argc, argv as of main()
 * \returns 0 it does; 2 it does not, or it cannot be read
 */
int RunGpuFabricCollective(int argc, char* argv[]);

/**
 * The whole of gpu-fabric-synthesize: synthesizes a collective from a TACCL topology and sketch
 * (Shah et al., NSDI 2023), and writes it as MSCCL XML. \param argc, argv as of main() \returns 0
 * done; 2 something is wrong with the input; 4 the output cannot be written
 */
int RunGpuFabricSynthesize(int argc, char* argv[]);

} // namespace ns3

#endif // GPU_FABRIC_RUN_GPU_FABRIC_H
