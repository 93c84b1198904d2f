// openapi.json, byte for byte. HUSK_OPENAPI is its path, given by the build.

    .section .rodata
    .globl husk_openapi_begin
    .hidden husk_openapi_begin
    .type husk_openapi_begin, %object
husk_openapi_begin:
    .incbin HUSK_OPENAPI
    .size husk_openapi_begin, . - husk_openapi_begin

    .globl husk_openapi_end
    .hidden husk_openapi_end
    .type husk_openapi_end, %object
husk_openapi_end:

    .section .note.GNU-stack, "", %progbits
