# cmake -D OUTPUT=file.cpp -D "FILES=a.json;b.json" -P embed_machines.cmake: the files as C++ text.

set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from models/machines/*.json.
#include \"models/shipped_files.hpp\"

namespace bellwether {

std::span<const ShippedFile> shipped_files() {
  static constexpr ShippedFile files[] = {
${entries}  };
  return files;
}

}  // namespace bellwether
")
