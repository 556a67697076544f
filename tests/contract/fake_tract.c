/* SPDX-License-Identifier: Apache-2.0 */
/* A library that calls itself a tract of FAKE_VERSION and can do nothing. */
const char *tract_version(void);

__attribute__((visibility("default"))) const char *tract_version(void)
{
    return FAKE_VERSION;
}
