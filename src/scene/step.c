/* SPDX-License-Identifier: Apache-2.0 */
/* Who runs ticks, and when: a caller's loop, or a thread of the scene's own. */
#include "base/error.h"
#include "base/service.h"
#include "scene/scene.h"
#include "session/context.h"

/** One at a time runs ticks. Results: OK, BUSY, STATE. */
static rung_result take_stepper(struct rung_scene *scene)
{
    int has = RUNG__STEPPER_NONE;
    if (atomic_compare_exchange_strong(&scene->stepper, &has, RUNG__STEPPER_CALLER))
        return RUNG_OK;
    if (has == RUNG__STEPPER_CALLER)
        return rung__fail(RUNG_BUSY,
                          "another thread is in rung_scene_step or _start of this scene");
    return rung__fail(RUNG_STATE, "the scene has a thread of its own; end it with rung_scene_stop");
}

static void leave_stepper(struct rung_scene *scene, enum rung__scene_stepper to)
{
    atomic_store(&scene->stepper, (int)to);
}

/** Returns when the next one is due. */
static uint64_t step(struct rung_scene *scene)
{
    struct rung__due due;
    if (rung__schedule_take(&scene->schedule, rung__scene_now(scene), &due))
        rung__scene_tick(scene, &due);
    return scene->schedule.due;
}

rung_result rung_scene_step(rung_scene *scene, uint64_t *next_due_ns)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_step: scene is NULL");
    rung_result result = take_stepper(scene);
    if (result != RUNG_OK)
        return result;
    const uint64_t next = step(scene);
    leave_stepper(scene, RUNG__STEPPER_NONE);
    if (next_due_ns)
        *next_due_ns = next;
    return RUNG_OK;
}

static void run(void *argument)
{
    struct rung_scene *scene = argument;
    struct rung__service service;
    rung__service_claim(&service);
    rung__log_write(&scene->context->model->instance->log, RUNG_LOG_INFO,
                    "the thread of a scene has %s", service.got);
    while (!atomic_load(&scene->stopping)) {
        const uint64_t next = step(scene);
        scene->clock.wait_until(scene->clock.user, next);
    }
    rung__service_give_back(&service);
}

rung_result rung_scene_start(rung_scene *scene)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_start: scene is NULL");
    if (!scene->clock.wait_until || !scene->clock.wake)
        return rung__fail(RUNG_INVALID_ARGUMENT,
                          "rung_scene_start: the clock of the scene has no wait_until or no wake");
    rung_result result = take_stepper(scene);
    if (result != RUNG_OK)
        return result;
    atomic_store(&scene->stopping, false);
    scene->schedule.begun = false; /* the time since it was stopped is not missed */
    result = rung__thread_start(&scene->thread, "rung-scene", run, scene);
    leave_stepper(scene, result == RUNG_OK ? RUNG__STEPPER_THREAD : RUNG__STEPPER_NONE);
    return result;
}

rung_result rung_scene_stop(rung_scene *scene)
{
    if (!scene)
        return rung__fail(RUNG_INVALID_ARGUMENT, "rung_scene_stop: scene is NULL");
    int has = RUNG__STEPPER_THREAD;
    if (!atomic_compare_exchange_strong(&scene->stepper, &has, RUNG__STEPPER_ENDING))
        return has == RUNG__STEPPER_ENDING
                   ? rung__fail(RUNG_BUSY, "another thread is in rung_scene_stop of this scene")
                   : RUNG_OK;
    atomic_store(&scene->stopping, true);
    scene->clock.wake(scene->clock.user);
    rung__thread_join(&scene->thread);
    leave_stepper(scene, RUNG__STEPPER_NONE);
    return RUNG_OK;
}
