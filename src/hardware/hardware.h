/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__HARDWARE_HARDWARE_H
#define RUNG__HARDWARE_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rung/result.h>

#include "hardware/cpus.h"

/* What a machine is, as far as the choice of a rung depends on it. It is read from files alone: a
 * driver's library may hang, crash or lie. */

#define RUNG__DEVICES         64
#define RUNG__OPENCL_DRIVERS  16
#define RUNG__HARDWARE_NAME   32
#define RUNG__HARDWARE_LINE   96
#define RUNG__CPU_MODEL_BYTES 160

/** Vendors by their PCI number; those of platform devices, which have none there, too. */
enum rung__vendor {
    RUNG__VENDOR_AMD = 0x1002,
    RUNG__VENDOR_NVIDIA = 0x10de,
    RUNG__VENDOR_ARM = 0x13b5,
    RUNG__VENDOR_VIRTIO = 0x1af4,
    RUNG__VENDOR_QUALCOMM = 0x5143,
    RUNG__VENDOR_INTEL = 0x8086,
};

enum rung__device_kind { RUNG__DEVICE_GPU, RUNG__DEVICE_NPU };

struct rung__device {
    enum rung__device_kind kind;
    uint16_t vendor, device;           /**< PCI numbers; `device` is 0 without PCI */
    uint32_t class;                    /**< PCI class, 24 bits; 0 without PCI */
    bool is_virtual;                   /**< a virtual machine's, drawn by its host */
    char address[RUNG__HARDWARE_NAME]; /**< such as "0000:01:00.0"; "" without PCI */
    char name[RUNG__HARDWARE_LINE];    /**< what it calls itself, or "" */
    char driver[RUNG__HARDWARE_NAME];  /**< the bound kernel driver, or "" */
    char version[RUNG__HARDWARE_LINE]; /**< the driver's; "kernel 6.1" when it came with that */
    char node[RUNG__HARDWARE_NAME];    /**< below /dev, such as "dri/renderD128", or "" */
    bool has_node; /**< it is there: a container may see a device in sysfs that it was not given */
};

/** A system on a chip. */
struct rung__soc {
    char machine[RUNG__HARDWARE_LINE];        /**< such as "SM8550", or "" */
    char family[RUNG__HARDWARE_LINE];         /**< such as "Snapdragon", or "" */
    char compatible[2 * RUNG__HARDWARE_LINE]; /**< the device tree's, by spaces, or "" */
    uint32_t id;                              /**< 0 when unknown */
    uint32_t hexagon; /**< the generation of its neural DSP, 73 for V73; 0: none is known */
    bool has_fastrpc; /**< the way to that DSP is there */
};

/** An OpenCL driver that is announced in /etc/OpenCL/vendors. */
struct rung__opencl {
    char library[RUNG__HARDWARE_LINE];
    uint16_t vendor; /**< whose GPUs it drives; 0: unknown, or none */
};

struct rung__hardware {
    struct rung__cpus cpus;
    char cpu_model[RUNG__CPU_MODEL_BYTES]; /**< "" when unknown */
    uint32_t cpu_features;                 /**< bits, see rung__cpu_feature_name */
    char kernel[RUNG__HARDWARE_LINE];      /**< its release, or "" */
    struct rung__device devices[RUNG__DEVICES];
    uint32_t device_count;
    uint32_t devices_left_out; /**< there are more than RUNG__DEVICES */
    bool has_kfd;              /**< /dev/kfd, which ROCm needs */
    struct rung__soc soc;
    struct rung__opencl opencl[RUNG__OPENCL_DRIVERS];
    uint32_t opencl_count;
    uint32_t unread; /**< files that are there and could not be read */
};

/**
 * Reads the machine below `root`, "" for this one. What is missing, damaged or absurd is unknown,
 * never an error. Results: OK, NO_MEMORY.
 */
rung_result rung__hardware_read(const char *root, struct rung__hardware *out);

/** The model of this machine's own processor, whatever machine is read elsewhere; "" when unknown.
 */
void rung__hardware_cpu_model(char to[RUNG__CPU_MODEL_BYTES]);

/**
 * Whether a processor with these features sums products of unsigned and signed bytes in 16 bits,
 * which saturate: x86 before VNNI (Intel's manual, VPMADDUBSW). The answers of a model in 8 bits
 * are others there.
 */
bool rung__cpu_sums_saturate(uint32_t bits);

/** The same of this machine's own processor, whatever machine is read elsewhere. */
bool rung__hardware_sums_saturate(void);

/** Sets the bit of a feature by its name; one without a row is left out. */
void rung__cpu_feature_set(uint32_t *bits, const char *name, size_t length);

/** "NVIDIA"; NULL for a vendor that has no row. */
const char *rung__vendor_name(uint32_t vendor);

/** The name of a bit of `cpu_features`, as the kernel writes it; NULL behind the last. */
const char *rung__cpu_feature_name(uint32_t bit);

#endif
