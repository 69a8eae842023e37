# SPDX-License-Identifier: GPL-2.0-only
#
# Stand-in for the ns-3 build system, for building this module on an installed ns-3.
#
# Gives the caller what an ns-3 tree would: a variable ${libNAME} for each module NAME of the
# installed ns-3, build_lib() and build_lib_example() with ns-3's own arguments, and the module's
# headers under ns3/ (stubs in ${CMAKE_BINARY_DIR}/include/ns3).

# Debian's libns3-dev 3.37-2 ships an ns3Config.cmake that is a fatal error (QUIET or not) unless
# the packages ns3 and libgsl-dev are there too, so the system's ns-3 is imported by hand. To use
# another installed ns-3 (the build folder of a tree will not do): -Dns3_DIR=.../lib/cmake/ns3.
if(ns3_DIR OR ns3_ROOT OR CMAKE_PREFIX_PATH)
  find_package(ns3 REQUIRED)
else()
  find_path(NS3_INCLUDE_DIR ns3/core-module.h REQUIRED)
  find_library(NS3_CORE_LIBRARY ns3-core REQUIRED)
  get_filename_component(ns3_DIR ${NS3_CORE_LIBRARY} DIRECTORY)
  get_filename_component(ns3_VERSION ${NS3_CORE_LIBRARY} REALPATH)
  string(REGEX REPLACE ".*\\.so\\.([0-9]+)$" "3.\\1" ns3_VERSION ${ns3_VERSION})
  file(GLOB ns3_libraries ${ns3_DIR}/libns3-*.so)
  foreach(library IN LISTS ns3_libraries)
    string(REGEX REPLACE ".*/libns3-(.*)\\.so$" "\\1" name ${library})
    add_library(ns3::${name} SHARED IMPORTED)
    set_target_properties(
      ns3::${name} PROPERTIES IMPORTED_LOCATION ${library} INTERFACE_INCLUDE_DIRECTORIES
                                                           ${NS3_INCLUDE_DIR}
    )
  endforeach()
  # Not find_package's variable: a second configure must come here again.
  set(gpu_fabric_ns3_place ${ns3_DIR})
  unset(ns3_DIR)
endif()
include(CTest) # BUILD_TESTING, enable_testing()
include(GNUInstallDirs)

set(GPU_FABRIC_STANDALONE ON)

# Debian 12's compiler is the one that every change is checked with; another one may know more
# warnings.
set(gpu_fabric_werror OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set(gpu_fabric_werror ON)
endif()
option(GPU_FABRIC_WERROR "Turn warnings into errors" ${gpu_fabric_werror})
option(GPU_FABRIC_SANITIZE "Address and undefined-behaviour sanitizers, and NS_ASSERT" OFF)
option(GPU_FABRIC_BENCHMARKS "Build gpu-fabric-bench" OFF)
option(GPU_FABRIC_PRECOMPILED "Precompile headers; without it ccache serves other clones, too" ON)
option(GPU_FABRIC_UNITY "Compile tests several files at a time; off where one of them is edited"
       ${GPU_FABRIC_PRECOMPILED}
)
option(NS3_LOG "Compile NS_LOG into this module" ON)
option(NS3_ASSERT "Compile NS_ASSERT into this module" ${GPU_FABRIC_SANITIZE})

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Line numbers in a backtrace are enough, and full debug information doubles the build time.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

# ns-3 is C++17 up to 3.40, C++20 from 3.41, C++23 from 3.46, and ns3Config.cmake does not say.
# 3.37's singleton.h, so core-module.h too, is an error in C++20 (GCC 12).
if(NOT CMAKE_CXX_STANDARD)
  if(ns3_VERSION VERSION_GREATER_EQUAL 3.46)
    set(CMAKE_CXX_STANDARD 23)
  elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.41)
    set(CMAKE_CXX_STANDARD 20)
  else()
    set(CMAKE_CXX_STANDARD 17)
  endif()
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# Outputs side by side, so that programs find the library without an install.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# The targets are ns3::libcore, ... up to 3.42, and ns3::core, ... from 3.43 on.
get_property(ns3_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS ns3_imported)
  if(target MATCHES "^ns3::(lib)?(.+)$")
    set(lib${CMAKE_MATCH_2} ${target})
  endif()
endforeach()
if(NOT DEFINED libcore)
  message(FATAL_ERROR "the ns-3 found at ${gpu_fabric_ns3_place}${ns3_DIR} gives no core library")
endif()
message(STATUS "ns-3 ${ns3_VERSION} at ${gpu_fabric_ns3_place}${ns3_DIR}")

# What ns-3's own build passes to every file.
add_library(ns3-standalone-flags INTERFACE)
target_include_directories(ns3-standalone-flags INTERFACE ${CMAKE_BINARY_DIR}/include)
target_compile_definitions(
  ns3-standalone-flags
  INTERFACE NS3_BUILD_PROFILE_RELEASE $<$<BOOL:${NS3_LOG}>:NS3_LOG_ENABLE>
            $<$<BOOL:${NS3_ASSERT}>:NS3_ASSERT_ENABLE>
)
target_compile_options(
  ns3-standalone-flags INTERFACE -Wall -Wextra $<$<BOOL:${GPU_FABRIC_WERROR}>:-Werror>
)
if(GPU_FABRIC_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_compile_options(ns3-standalone-flags INTERFACE ${sanitizers})
  target_link_options(ns3-standalone-flags INTERFACE ${sanitizers})
endif()
# RPATH rather than RUNPATH: an ns-3 installed elsewhere than /usr has libraries that need each
# other and carry no path, and only RPATH reaches those.
target_link_options(ns3-standalone-flags INTERFACE -Wl,--disable-new-dtags)

# TEST_SOURCES is accepted and ignored: stand-alone, the tests are a GoogleTest program.
function(build_lib)
  cmake_parse_arguments(
    LIB "IGNORE_PCH" "LIBNAME"
    "SOURCE_FILES;HEADER_FILES;PRIVATE_HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN}
  )
  set(include ${CMAKE_BINARY_DIR}/include/ns3)

  # One-line stubs rather than copies: an edit of the real header is seen without a re-configure,
  # and compiler messages name the file that is edited. file(CONFIGURE) leaves equal files alone.
  set(module_header "#pragma once\n")
  foreach(header IN LISTS LIB_HEADER_FILES LIB_PRIVATE_HEADER_FILES)
    get_filename_component(name ${header} NAME)
    # Relative, so that the compiler cache serves other clones, too.
    file(RELATIVE_PATH place ${include} ${CMAKE_CURRENT_SOURCE_DIR}/${header})
    file(CONFIGURE OUTPUT ${include}/${name} CONTENT "#include \"${place}\"\n" @ONLY)
    if(header IN_LIST LIB_HEADER_FILES)
      string(APPEND module_header "#include \"ns3/${name}\"\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${include}/${LIB_LIBNAME}-module.h CONTENT "${module_header}" @ONLY)

  add_library(${LIB_LIBNAME} SHARED ${LIB_SOURCE_FILES})
  target_link_libraries(
    ${LIB_LIBNAME} PUBLIC ${LIB_LIBRARIES_TO_LINK} $<BUILD_INTERFACE:ns3-standalone-flags>
  )
  # Nobody puts another definition before one of this library: GCC may call and inline its own.
  # The linker may, too, without the detour of its table.
  target_compile_options(${LIB_LIBNAME} PRIVATE -fno-semantic-interposition)
  target_link_options(${LIB_LIBNAME} PRIVATE LINKER:-Bsymbolic-functions)
  if(GPU_FABRIC_PRECOMPILED)
    target_precompile_headers(${LIB_LIBNAME} PRIVATE cmake/precompiled.h)
  endif()
  set_target_properties(${LIB_LIBNAME} PROPERTIES OUTPUT_NAME ns3-${LIB_LIBNAME})

  install(TARGETS ${LIB_LIBNAME} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${LIB_HEADER_FILES} ${include}/${LIB_LIBNAME}-module.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
  )

  # As ns-3 does: examples/ is entered from here, so that its examples know their library.
  set(NS3_STANDALONE_LIBNAME ${LIB_LIBNAME})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
    add_subdirectory(examples)
  endif()
endfunction()

function(build_lib_example)
  cmake_parse_arguments(
    EX "IGNORE_PCH" "NAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK" ${ARGN}
  )
  add_executable(${EX_NAME} ${EX_SOURCE_FILES})
  target_link_libraries(${EX_NAME} PRIVATE ${NS3_STANDALONE_LIBNAME} ${EX_LIBRARIES_TO_LINK})
endfunction()
