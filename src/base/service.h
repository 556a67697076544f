/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__BASE_SERVICE_H
#define RUNG__BASE_SERVICE_H

#include <stdbool.h>

#define RUNG__SERVICE_TEXT 96

/** The class of service that a thread asked of its system for itself. */
struct rung__service {
    char got[RUNG__SERVICE_TEXT]; /**< in words */
    int before;                   /**< what it had */
    bool changed;
    void *handle; /**< the system's, where it gives one */
};

/** Asks for what a thread that people wait for should have. It always goes on, with what it got. */
void rung__service_claim(struct rung__service *service);
/** Gives it back, on the same thread. */
void rung__service_give_back(struct rung__service *service);

#endif
