# SPDX-License-Identifier: GPL-2.0-only
#
# The hardware presets, data files, become part of the library, so that a program finds them wherever
# it runs. Sets gpu_fabric_hardware_presets, a generated source file.
file(GLOB gpu_fabric_preset_files CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/scenarios/hardware/presets/*.yaml"
)
set_property(
  DIRECTORY
  APPEND
  PROPERTY CMAKE_CONFIGURE_DEPENDS ${gpu_fabric_preset_files}
)
set(gpu_fabric_preset_rows)
foreach(file IN LISTS gpu_fabric_preset_files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND gpu_fabric_preset_rows
         "        {\"${name}\", R\"preset(${text})preset\"},\n"
  )
endforeach()
set(gpu_fabric_hardware_presets "${CMAKE_CURRENT_BINARY_DIR}/hardware-preset-files.cc")
file(
  GENERATE
  OUTPUT ${gpu_fabric_hardware_presets}
  CONTENT
    "#include \"${CMAKE_CURRENT_SOURCE_DIR}/model/scenario/hardware-preset.h\"

namespace ns3
{

const std::vector<std::pair<std::string, std::string>>&
HardwarePreset::GetFiles()
{
    static const std::vector<std::pair<std::string, std::string>> files{
${gpu_fabric_preset_rows}    };
    return files;
}

} // namespace ns3
"
)
