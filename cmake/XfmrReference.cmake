# cmake -DTABLEGEN=<mlir-tblgen> -DTITLE=<title> -DINCLUDES=<dir;...>
#   -DGENERATE="<file.td option...>;..." -DOUTPUT=<file> -P XfmrReference.cmake
#
# Writes one page of what mlir-tblgen says of these files.
list(GET INCLUDES 0 root)
list(TRANSFORM INCLUDES PREPEND "-I")
set(page "# ${TITLE}\n\n<!-- Written by scripts/update-docs from the .td files: edit those. -->\n")
foreach(command ${GENERATE})
  separate_arguments(command UNIX_COMMAND "${command}")
  list(POP_FRONT command file)
  execute_process(COMMAND ${TABLEGEN} ${command} ${INCLUDES} ${root}/${file}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  # The page has a title and a warning of its own; [TOC] is no Markdown.
  string(REGEX REPLACE "^<!--[^\n]*-->\n+" "" text "${text}")
  string(REGEX REPLACE "^# [^\n]*\n" "" text "${text}")
  string(REPLACE "[TOC]\n\n" "" text "${text}")
  string(STRIP "${text}" text)
  if(text)
    string(APPEND page "\n${text}\n")
  endif()
endforeach()
# What the descriptions' indentation leaves at line ends is no content.
string(REGEX REPLACE "[ \t]+\n" "\n" page "${page}")
string(REGEX REPLACE "\n\n\n+" "\n\n" page "${page}")
string(STRIP "${page}" page)
file(WRITE ${OUTPUT} "${page}\n")
