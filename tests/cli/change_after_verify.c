/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into rung by a test: changes the file CHANGE_FILE right after libcrypto has checked a
 * signature, in the way that CHANGE_KIND says.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void change(const char *path, const char *kind)
{
    char other[4096];
    int file = open(path, O_RDWR);
    if (strcmp(kind, "append") == 0 && lseek(file, 0, SEEK_END) > 0)
        (void)!write(file, "x", 1);
    else if (strcmp(kind, "flip") == 0 && lseek(file, 700, SEEK_SET) > 0)
        (void)!write(file, "x", 1);
    else if (strcmp(kind, "truncate") == 0)
        (void)!ftruncate(file, 0);
    else if (strcmp(kind, "touch") == 0)
        futimens(file, NULL);
    else if (strcmp(kind, "replace") == 0) {
        snprintf(other, sizeof other, "%s.other", path);
        close(open(other, O_CREAT | O_WRONLY, 0600));
        rename(other, path);
    }
    close(file);
}

int EVP_PKEY_verify(void *context, const unsigned char *signature, size_t signature_size,
                    const unsigned char *digest, size_t digest_size)
{
    int (*real)(void *, const unsigned char *, size_t, const unsigned char *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "EVP_PKEY_verify");
    int result = real(context, signature, signature_size, digest, digest_size);
    change(getenv("CHANGE_FILE"), getenv("CHANGE_KIND"));
    return result;
}
