# SPDX-License-Identifier: GPL-2.0-only
#
# gpu_fabric_unity(TARGET SIZE SOURCE...): compiles up to SIZE sources of a target at a time, which takes
# about a quarter of the time, since most of it goes into the headers. Sources that give one name to
# different things, as the helpers of tests may, are kept apart.

# Names that a file gives to types, functions and constants at the beginning of a line, as .clang-format
# has them.
function(gpu_fabric_names variable file)
  file(READ ${file} text)
  set(word "[A-Za-z0-9_]+")
  string(REGEX MATCHALL "\n(struct|class|enum class|enum|using) ${word}" names "${text}")
  string(REGEX MATCHALL "\n${word}\\(" functions "${text}")
  list(APPEND names ${functions})
  string(REGEX MATCHALL "\n(static |inline )*(constexpr|const) [A-Za-z0-9_:<>,*& ]*[ *&]${word}"
                        constants "${text}"
  )
  list(APPEND names ${constants})
  list(TRANSFORM names REPLACE "\\($" "")
  list(TRANSFORM names REPLACE ".*[^A-Za-z0-9_](${word})$" "\\1")
  list(FILTER names EXCLUDE REGEX "^(TEST|TEST_F|TEST_P|namespace|NS_.*|INSTANTIATE_.*)$")
  list(REMOVE_DUPLICATES names)
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

# Whether two lists, without repetitions each, have an element in common.
function(gpu_fabric_have_common variable first second)
  set(both ${${first}} ${${second}})
  list(LENGTH both all)
  list(REMOVE_DUPLICATES both)
  list(LENGTH both different)
  if(all EQUAL different)
    set(${variable} OFF PARENT_SCOPE)
  else()
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

function(gpu_fabric_unity target size)
  set(groups 0)
  foreach(source IN LISTS ARGN)
    gpu_fabric_names(own ${source})
    # Those of the private headers of tests that it includes.
    set(included)
    get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR}/${source} DIRECTORY)
    file(STRINGS ${source} includes REGEX "^#include \"(\\.\\./fixture/)?[a-z0-9-]+\\.h\"")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"(.*)\"" "${folder}/\\1" header "${include}")
      if(EXISTS ${header})
        gpu_fabric_names(names ${header})
        list(APPEND included ${names})
      endif()
    endforeach()
    list(REMOVE_DUPLICATES included)

    set(group 0)
    while(group LESS groups)
      gpu_fabric_have_common(twice own own_${group})
      gpu_fabric_have_common(hidden own included_${group})
      gpu_fabric_have_common(hides included own_${group})
      if(NOT twice
         AND NOT hidden
         AND NOT hides
         AND count_${group} LESS size
      )
        break()
      endif()
      math(EXPR group "${group} + 1")
    endwhile()
    if(group EQUAL groups)
      math(EXPR groups "${groups} + 1")
      set(own_${group})
      set(included_${group})
      set(count_${group} 0)
    endif()
    list(APPEND own_${group} ${own})
    list(APPEND included_${group} ${included})
    list(REMOVE_DUPLICATES included_${group})
    math(EXPR count_${group} "${count_${group}} + 1")
    get_filename_component(folder ${source} DIRECTORY)
    string(REPLACE "/" "-" folder ${folder})
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${target}-${folder}-${group})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # What is in an unnamed namespace is in a file that is included, which the compiler finds odd.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
