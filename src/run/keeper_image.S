// The linked husk-keeper, byte for byte. HUSK_KEEPER_IMAGE is its path, given by the build.

    .section .rodata
    .balign 16
    .globl husk_keeper_image_begin
    .hidden husk_keeper_image_begin
    .type husk_keeper_image_begin, %object
husk_keeper_image_begin:
    .incbin HUSK_KEEPER_IMAGE
    .size husk_keeper_image_begin, . - husk_keeper_image_begin

    .globl husk_keeper_image_end
    .hidden husk_keeper_image_end
    .type husk_keeper_image_end, %object
husk_keeper_image_end:

    .section .note.GNU-stack, "", %progbits
