/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_GPU_FABRIC_H
#define GPU_FABRIC_RUN_GPU_FABRIC_H

namespace ns3
{

/**
 * The whole of gpu-fabric-run as a function: runs a scenario file, one or all points of its sweep,
 * or compares the schedulers of a result database, depending on the arguments. `--help` lists them.
 *
 * Your own program runs scenarios with your own algorithms this way; they are compiled into it and
 * register their TypeId (examples/gpu-fabric-own-scheduler.cc):
 * \code
 *   int
 *   main(int argc, char* argv[])
 *   {
 *       return ns3::RunGpuFabric(argc, argv);
 *   }
 * \endcode
 *
 * Each point of a sweep is run by a process of the calling program, with `--scenario`, `--point`,
 * `--out` and other options as arguments. Points thus have the same algorithms, and a program with
 * options of its own must pass these arguments on. The time resolution becomes 1 ps, and the
 * simulator ns3::FabricSimulatorImpl unless the arguments say otherwise; neither can be changed
 * once a simulator exists, so call this first.
 *
 * \param argc, argv as of main(); argv[0] names the program in messages
 * \returns the exit status of the process: 0 done, 1 points of a sweep failed, 2 the input is wrong
 * or the output already exists, 3 an invariant is violated, 4 the results cannot be written, 128
 * plus the number of the signal that interrupted it. Ends the process after --help, --version and
 * the --Print options, with 0.
 */
int RunGpuFabric(int argc, char* argv[]);

/**
 * The whole of gpu-fabric-collective: proves that the MSCCL XML file of a collective algorithm
 * implements its collective, and describes it.
 * \param argc, argv as of main()
 * \returns 0 if it does; 2 if it does not, or cannot be read
 */
int RunGpuFabricCollective(int argc, char* argv[]);

/**
 * The whole of gpu-fabric-synthesize: synthesizes a collective from a TACCL topology and sketch
 * (Shah et al., NSDI 2023), and writes it as MSCCL XML.
 * \param argc, argv as of main()
 * \returns 0 done; 2 the input is wrong; 4 the output cannot be written
 */
int RunGpuFabricSynthesize(int argc, char* argv[]);

/**
 * The whole of gpu-fabric-hardware: simulates measured collectives under the presets of their
 * hardware, and prints how far the simulated times are from them.
 * \param argc, argv as of main()
 * \returns 0 within the stated bounds; 1 beyond one; 2 the input is wrong
 */
int RunGpuFabricHardware(int argc, char* argv[]);

} // namespace ns3

#endif // GPU_FABRIC_RUN_GPU_FABRIC_H
