/* SPDX-License-Identifier: Apache-2.0 */
/* Systems on a chip, and the Hexagon in Qualcomm's. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "hardware/parts.h"

struct hexagon {
    const char *machine; /**< the beginning of its name in soc0 and, in small letters, "qcom,…" */
    uint32_t id;         /**< soc_id of soc0, where the name is a code name; 0: not known */
    uint32_t generation;
};

/* Generations as Qualcomm's AI Engine Direct SDK lists them; numbers as in the kernel's qcom,ids.h.
 * The first row that fits counts. */
static const struct hexagon rows[] = {
    {"SDM845", 321, 65},   {"SM8150", 339, 66}, {"SM8250", 356, 66}, {"QRB5165", 455, 66},
    {"SM8350", 439, 68},   {"SC7280", 487, 68}, {"QCM6490", 0, 68},  {"QCS6490", 0, 68},
    {"SC8280XP", 449, 68}, {"SA8295", 460, 68}, {"SM8450", 457, 69}, {"SM8450", 480, 69},
    {"SM8450", 482, 69},   {"SM8475", 0, 69},   {"SXR2230P", 0, 69}, {"SM8550", 519, 73},
    {"QCS8550", 0, 73},    {"QCM8550", 0, 73},  {"SA8255", 0, 73},   {"SA8775", 0, 73},
    {"SM8635", 0, 73},     {"X1E80100", 0, 73}, {"X1P42100", 0, 73}, {"SSG2115P", 0, 73},
    {"SSG2125P", 0, 73},   {"SXR1230P", 0, 73}, {"SM8650", 0, 75},   {"SM8735", 0, 79},
    {"SM8750", 0, 79},     {"SM8850", 0, 81},
};

static bool begins_with(const char *text, const char *beginning)
{
    return strncasecmp(text, beginning, strlen(beginning)) == 0;
}

/** Whether one of the names "qcom,sm8550-mtp qcom,sm8550" is that of the row. */
static bool compatible_has(const char *compatible, const char *machine)
{
    static const char maker[] = "qcom,";
    for (const char *at = compatible; (at = strstr(at, maker)); at += sizeof maker - 1)
        if (begins_with(at + sizeof maker - 1, machine))
            return true;
    return false;
}

static uint32_t hexagon_of(const struct rung__soc *soc)
{
    /* Other makers count their chips from the same numbers. */
    const bool is_qualcomm =
        strcmp(soc->family, "Snapdragon") == 0 || strstr(soc->compatible, "qcom,");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (begins_with(soc->machine, rows[i].machine) ||
            compatible_has(soc->compatible, rows[i].machine) ||
            (is_qualcomm && soc->id && soc->id == rows[i].id))
            return rows[i].generation;
    return 0;
}

/** Names with zeros between them become names with spaces. */
static void read_compatible(struct rung__machine *machine, char *to, size_t size)
{
    static const char *const paths[] = {"/proc/device-tree/compatible",
                                        "/sys/firmware/devicetree/base/compatible"};
    size_t got = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && got == 0; i++)
        got = rung__machine_bytes(machine, paths[i], to, size - 1);
    while (got && to[got - 1] == '\0')
        got--;
    for (size_t i = 0; i < got; i++)
        if (to[i] == '\0')
            to[i] = ' ';
    to[got] = '\0';
    rung__text_clean(to);
}

void rung__hardware_read_soc(struct rung__machine *machine, struct rung__hardware *out)
{
    struct rung__soc *soc = &out->soc;
    read_compatible(machine, soc->compatible, sizeof soc->compatible);
    (void)rung__machine_line(machine, "/sys/devices/soc0/machine", soc->machine,
                             sizeof soc->machine);
    (void)rung__machine_line(machine, "/sys/devices/soc0/family", soc->family, sizeof soc->family);
    (void)rung__machine_number(machine, "/sys/devices/soc0/soc_id", UINT16_MAX, &soc->id);
    soc->hexagon = hexagon_of(soc);
    soc->has_fastrpc = rung__machine_has(machine, "/dev/fastrpc-cdsp") ||
                       rung__machine_has(machine, "/dev/adsprpc-smd");
}
