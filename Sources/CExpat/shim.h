#include <expat.h>

/* Newer versions call XML_GetCurrentLineNumber deprecated, and older ones do not have the function that they name instead. */
static inline unsigned long tintype_xml_line(XML_Parser parser) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return XML_GetCurrentLineNumber(parser);
#pragma GCC diagnostic pop
}
