// The linked husk-proxy, byte for byte. HUSK_PROXY_IMAGE is its path, given by the build.

    .section .rodata
    .balign 16
    .globl husk_proxy_image_begin
    .hidden husk_proxy_image_begin
    .type husk_proxy_image_begin, %object
husk_proxy_image_begin:
    .incbin HUSK_PROXY_IMAGE
    .size husk_proxy_image_begin, . - husk_proxy_image_begin

    .globl husk_proxy_image_end
    .hidden husk_proxy_image_end
    .type husk_proxy_image_end, %object
husk_proxy_image_end:

    .section .note.GNU-stack, "", %progbits
