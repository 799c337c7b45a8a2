# Prints the messages of the validation layers in the output of a program. Called by device.sh.
#
# Layers that are older than VK_KHR_shader_bfloat16 (1.4.311) cannot judge the kernels that use it. They say so when
# the device is created, and then complain of every such kernel. Those messages are left out. tests/drivers/
# pipelines prints a line "ROW: MODULE ..." after the messages of each pipeline, by which they are told apart.
/VK_KHR_shader_bfloat16 is not a known extension/ { blind = 1 }

/^Validation (Error|Warning|Performance Warning)/ { inside = 1; count++; messages[count] = ""; of[count] = "" }
inside && /^$/ { inside = 0 }
inside { messages[count] = messages[count] $0 "\n" }

# The messages since the last pipeline are this one's.
/^[a-z0-9_]+: [A-Z0-9_]+[ ,:]/ {
    for (; told < count; told++)
        of[told + 1] = $2
}

END {
    for (i = 1; i <= count; i++) {
        device = messages[i] ~ /VK_KHR_shader_bfloat16 is not a known|unknown VkStructureType \(1000141000\)/
        if (!blind || !(device || of[i] ~ /BF16/))
            printf "%s", messages[i]
    }
}
