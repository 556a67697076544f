/* SPDX-License-Identifier: Apache-2.0 */
#include "base/service.h"

#include "base/text.h"

#if defined(__APPLE__)

#include <pthread/qos.h>

void rung__service_claim(struct rung__service *service)
{
    *service = (struct rung__service){.before = (int)qos_class_self()};
    service->changed = pthread_set_qos_class_self_np(QOS_CLASS_USER_INITIATED, 0) == 0;
    (void)rung__text_format(service->got, sizeof service->got, "%s",
                            service->changed ? "QoS user-initiated" : "QoS as inherited");
}

void rung__service_give_back(struct rung__service *service)
{
    if (service->changed)
        (void)pthread_set_qos_class_self_np((qos_class_t)service->before, 0);
}

#else

#include <sys/resource.h>

/* As far as desktops' sound servers go for threads without a real-time class. */
static const int wanted = -5;

/* On Linux these act on the calling thread alone. */
void rung__service_claim(struct rung__service *service)
{
    *service = (struct rung__service){.before = getpriority(PRIO_PROCESS, 0)};
    if (service->before <= wanted) {
        (void)rung__text_format(service->got, sizeof service->got, "nice %d, as it was",
                                service->before);
        return;
    }
    service->changed = setpriority(PRIO_PROCESS, 0, wanted) == 0;
    if (service->changed)
        (void)rung__text_format(service->got, sizeof service->got, "nice %d", wanted);
    else
        (void)rung__text_format(service->got, sizeof service->got,
                                "nice %d, as it was (the system refuses %d)", service->before,
                                wanted);
}

void rung__service_give_back(struct rung__service *service)
{
    if (service->changed)
        (void)setpriority(PRIO_PROCESS, 0, service->before);
}

#endif
