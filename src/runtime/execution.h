/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNG__RUNTIME_EXECUTION_H
#define RUNG__RUNTIME_EXECUTION_H

/** An option of a session or of an execution provider. A list of them ends with a NULL name. */
struct rung__option {
    const char *name, *value;
};

/** What a runtime is to run a model on. All zero is the runtime's own CPU code. */
struct rung__execution {
    /** The execution provider as the runtime offers it, "OpenVINOExecutionProvider"; NULL: none. */
    const char *provider;
    const char
        *plugin; /**< the library that brings it, where the runtime has not got it; or NULL */
    const char
        *compiled; /**< a model file that was made of the model, loaded in its place; or NULL */
    const struct rung__option *options; /**< the provider's; NULL: none */
    const struct rung__option *session; /**< the session's, beside those of all; NULL: none */
};

/** Room for what executes a model: a provider's name, or several with the number of their nodes. */
#define RUNG__EXECUTED_BY_BYTES 128

#endif
