/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG_EXPORT_H
#define RUNG_EXPORT_H

/** Marks a symbol that leaves the shared library; the version script (src/rung.map) lists the same.
 */
#if defined(_WIN32)
#if defined(RUNG_BUILDING)
#define RUNG_API __declspec(dllexport)
#else
#define RUNG_API __declspec(dllimport)
#endif
#else
#define RUNG_API __attribute__((visibility("default")))
#endif

#endif
