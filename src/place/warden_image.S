// The linked husk-warden, byte for byte. HUSK_WARDEN_IMAGE is its path, given by the build.

    .section .rodata
    .balign 16
    .globl husk_warden_image_begin
    .hidden husk_warden_image_begin
    .type husk_warden_image_begin, %object
husk_warden_image_begin:
    .incbin HUSK_WARDEN_IMAGE
    .size husk_warden_image_begin, . - husk_warden_image_begin

    .globl husk_warden_image_end
    .hidden husk_warden_image_end
    .type husk_warden_image_end, %object
husk_warden_image_end:

    .section .note.GNU-stack, "", %progbits
