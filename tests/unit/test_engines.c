/* SPDX-License-Identifier: Apache-2.0 */
/* Promises: an engine is used as it was built or not at all, whatever happened to its folder; it
 * appears whole or not; all together stay within their bounds. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "folder_fixture.h"
#include "ladder/engine_files.h"
#include "ladder/engine_store.h"

/* RUNG_TEST_FLIPS says another number. */
#define FLIPS       300
#define ENGINE_SIZE 4096u

static char cache[256], root[300];
static struct rung__engine_store store;

static int set_up(void **state)
{
    const int made = make_test_folder(state);
    in_test_folder(cache, "rung");
    snprintf(root, sizeof root, "%s/engines", cache);
    store = (struct rung__engine_store){cache, RUNG__ENGINE_BYTES_DEFAULT};
    return made;
}

/* ---- engines ---- */

static struct rung__engine_key key_of(const char *rung, const char *artifact, const char *device)
{
    struct rung__engine_key key;
    struct rung__header header = {.name = "tiny", .form = RUNG_FORM_F32};
    if (rung__engine_key_make(rung__rung_named(rung), &header, artifact, device, &key) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    return key;
}

static struct rung__engine_key plain_key(void)
{
    return key_of("openvino-cpu", "0123456789abcdef0123456789abcdef0123", "device=1");
}

static void fill(uint8_t bytes[ENGINE_SIZE], uint32_t seed)
{
    for (size_t i = 0; i < ENGINE_SIZE; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

static void write_at(const char *folder, const char *name, uint32_t seed)
{
    char path[700];
    uint8_t bytes[ENGINE_SIZE];
    fill(bytes, seed);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(rung__file_save(path, (struct rung__bytes){bytes, sizeof bytes}, 0440, true),
                     RUNG_OK);
}

/** What a provider leaves: a file, and one in a folder. */
static void write_engine(const char *folder)
{
    char below[700];
    write_at(folder, "a.blob", 1);
    snprintf(below, sizeof below, "%s/more", folder);
    assert_int_equal(rung__folder_make(below), RUNG_OK);
    write_at(below, "b.blob", 2);
}

static rung_result begin(const struct rung__engine_key *key, struct rung__engine_part *part)
{
    return rung__engine_part_begin(&store, key, 0, part);
}

static void build(const struct rung__engine_key *key)
{
    struct rung__engine_part part;
    if (begin(key, &part) != RUNG_OK)
        fail_msg("%s", rung_last_error());
    write_engine(part.folder);
    if (rung__engine_part_keep(&store, key, &part) != RUNG_OK)
        fail_msg("%s", rung_last_error());
}

static bool holds(const char *folder, const char *name, uint32_t seed)
{
    char path[700];
    uint8_t bytes[ENGINE_SIZE];
    struct rung__buffer found = {0};
    fill(bytes, seed);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const bool same = rung__file_load(path, ENGINE_SIZE + 1, &found) == RUNG_OK &&
                      found.size == ENGINE_SIZE && memcmp(found.data, bytes, ENGINE_SIZE) == 0;
    rung__buffer_finish(&found);
    return same;
}

static rung_result use(const struct rung__engine_key *key)
{
    struct rung__engine_use used;
    const rung_result result = rung__engine_use(&store, key, &used);
    if (result == RUNG_OK)
        assert_true(holds(used.folder, "a.blob", 1) && holds(used.folder, "more/b.blob", 2));
    rung__engine_use_finish(&used);
    return result;
}

static const char *in_engine(char to[600], const struct rung__engine_key *key, const char *name)
{
    snprintf(to, 600, "%s/%s/%s", root, key->name, name);
    return to;
}

static size_t names_in(const char *folder, char first)
{
    struct rung__folder names;
    size_t count = 0;
    if (rung__folder_list(folder, 1000, &names) != RUNG_OK)
        return 0;
    for (size_t i = 0; i < names.count; i++)
        count += first ? names.names[i][0] == first : names.names[i][0] != '.';
    rung__folder_finish(&names);
    return count;
}

/** The locks of builds and of short work stay. */
static void assert_nothing_left(void)
{
    assert_in_range(names_in(root, '.'), 1, 2);
}

/* ---- as it was built ---- */

static void an_engine_comes_back_as_it_was_built(void **state)
{
    (void)state;
    const struct rung__engine_key key = plain_key();
    struct rung__engine_part part;
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    build(&key);
    assert_int_equal(use(&key), RUNG_OK);
    assert_int_equal(begin(&key, &part), RUNG_ALREADY_EXISTS);
    assert_int_equal(use(&key), RUNG_OK);
    assert_nothing_left();
}

static void the_folder_is_marked_and_private(void **state)
{
    (void)state;
    char path[300];
    struct stat status;
    const struct rung__engine_key key = plain_key();
    build(&key);
    snprintf(path, sizeof path, "%s/CACHEDIR.TAG", cache);
    assert_int_equal(rung__path_kind(path), RUNG__PATH_FILE);
    assert_int_equal(stat(root, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
}

static void what_a_provider_does_to_its_copy_changes_no_engine(void **state)
{
    (void)state;
    char path[700];
    struct rung__engine_use used;
    const struct rung__engine_key key = plain_key();
    build(&key);
    assert_int_equal(rung__engine_use(&store, &key, &used), RUNG_OK);
    snprintf(path, sizeof path, "%s/a.blob", used.folder);
    assert_int_equal(unlink(path), 0);
    write_at(used.folder, "a.blob", 7);
    write_at(used.folder, "another.blob", 8);
    assert_int_equal(use(&key), RUNG_OK);
    rung__engine_use_finish(&used);
    assert_int_equal(use(&key), RUNG_OK);
    assert_nothing_left();
}

static void what_differs_in_anything_has_its_own_engine(void **state)
{
    (void)state;
    const struct rung__engine_key keys[] = {
        plain_key(),
        key_of("openvino-cpu", "f123456789abcdef0123456789abcdef0123", "device=1"),
        key_of("openvino-cpu", "0123456789abcdef0123456789abcdef0123", "device=2"),
        key_of("openvino-gpu", "0123456789abcdef0123456789abcdef0123", "device=1"),
        key_of("tensorrt", "0123456789abcdef0123456789abcdef0123", "device=1"),
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_int_equal(use(&keys[i]), RUNG_NOT_FOUND);
        build(&keys[i]);
    }
    assert_int_equal(names_in(root, 0), sizeof keys / sizeof *keys);
    assert_string_equal(keys[3].precision, "f16");
    assert_memory_equal(keys[3].name, "openvino-gpu-f16-0123456789abcdef0123456789abcdef-", 50);
}

/* ---- damage ---- */

static void change_byte(const char *path, uint64_t at, uint8_t mask)
{
    uint8_t byte;
    assert_int_equal(chmod(path, 0600), 0);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(pread(file, &byte, 1, (off_t)at), 1);
    byte ^= mask;
    assert_int_equal(pwrite(file, &byte, 1, (off_t)at), 1);
    close(file);
}

static void set_length(const char *path, off_t length)
{
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(truncate(path, length), 0);
}

static void save_text(const char *path, const char *text)
{
    assert_int_equal(rung__file_save(path,
                                     (struct rung__bytes){(const uint8_t *)text, strlen(text)},
                                     0600, true),
                     RUNG_OK);
}

static void flip_a_bit(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    change_byte(file, 100, 1);
}

static void cut_short(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    set_length(file, ENGINE_SIZE - 1);
}

static void empty(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    set_length(file, 0);
}

static void lengthen(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    set_length(file, ENGINE_SIZE + 1);
}

static void remove_a_file(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    assert_int_equal(unlink(file), 0);
}

static void rename_a_file(const char *engine, const char *file, const char *more)
{
    (void)engine;
    assert_int_equal(rename(file, more), 0);
}

static void add_a_file(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)file;
    save_text(more, "more");
}

static void add_one_beside(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/beside", engine);
    save_text(path, "more");
}

static void link_to_a_file(const char *engine, const char *file, const char *more)
{
    char path[256];
    (void)engine, (void)more;
    assert_int_equal(rename(file, in_test_folder(path, "elsewhere")), 0);
    assert_int_equal(symlink(path, file), 0);
}

static void name_a_file_twice(const char *engine, const char *file, const char *more)
{
    char path[256];
    (void)engine, (void)more;
    assert_int_equal(link(file, in_test_folder(path, "second")), 0);
}

static void put_a_fifo(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
}

static void put_a_folder(const char *engine, const char *file, const char *more)
{
    (void)engine, (void)more;
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkdir(file, 0700), 0);
}

static void remove_the_files(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/files", engine);
    assert_int_equal(rung__folder_remove(path), RUNG_OK);
}

static void write_record(const char *engine, const char *text)
{
    char path[700];
    snprintf(path, sizeof path, "%s/record.json", engine);
    save_text(path, text);
}

static void remove_the_record(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/record.json", engine);
    assert_int_equal(unlink(path), 0);
}

static void empty_the_record(const char *engine, const char *file, const char *more)
{
    (void)file, (void)more;
    write_record(engine, "");
}

static void put_a_foreign_record(const char *engine, const char *file, const char *more)
{
    (void)file, (void)more;
    write_record(engine, "{\"schema\":9}");
}

static void put_a_huge_record(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/record.json", engine);
    assert_int_equal(truncate(path, INT64_C(1) << 40), 0);
}

static void cut_the_record(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/record.json", engine);
    assert_int_equal(truncate(path, 200), 0);
}

static void put_another_models(const char *engine, const char *file, const char *more)
{
    char path[700];
    const struct rung__engine_key other =
        key_of("openvino-cpu", "another123456789abcdef0123456789abcdef", "device=1");
    (void)file, (void)more;
    build(&other);
    assert_int_equal(rung__folder_remove(engine), RUNG_OK);
    snprintf(path, sizeof path, "%s/%s", root, other.name);
    assert_int_equal(rename(path, engine), 0);
}

static void put_a_link(const char *engine, const char *file, const char *more)
{
    char path[700];
    (void)file, (void)more;
    snprintf(path, sizeof path, "%s/../elsewhere", root);
    assert_int_equal(rename(engine, path), 0);
    assert_int_equal(symlink(path, engine), 0);
}

static void put_a_file(const char *engine, const char *file, const char *more)
{
    (void)file, (void)more;
    assert_int_equal(rung__folder_remove(engine), RUNG_OK);
    save_text(engine, "no engine");
}

static const struct {
    const char *name;
    void (*apply)(const char *engine, const char *file, const char *more);
} damages[] = {
#define DAMAGE(name)                                                                               \
    {                                                                                              \
#name, name                                                                                \
    }
    DAMAGE(flip_a_bit),
    DAMAGE(cut_short),
    DAMAGE(empty),
    DAMAGE(lengthen),
    DAMAGE(remove_a_file),
    DAMAGE(rename_a_file),
    DAMAGE(add_a_file),
    DAMAGE(add_one_beside),
    DAMAGE(link_to_a_file),
    DAMAGE(name_a_file_twice),
    DAMAGE(put_a_fifo),
    DAMAGE(put_a_folder),
    DAMAGE(remove_the_files),
    DAMAGE(remove_the_record),
    DAMAGE(empty_the_record),
    DAMAGE(put_a_foreign_record),
    DAMAGE(put_a_huge_record),
    DAMAGE(cut_the_record),
    DAMAGE(put_another_models),
    DAMAGE(put_a_link),
    DAMAGE(put_a_file),
#undef DAMAGE
};

static void no_damage_is_used_and_each_is_built_again(void **state)
{
    (void)state;
    char engine[600], file[600], more[600];
    const struct rung__engine_key key = plain_key();
    in_engine(engine, &key, "");
    engine[strlen(engine) - 1] = '\0';
    in_engine(file, &key, "files/more/b.blob");
    in_engine(more, &key, "files/c.blob");
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        build(&key);
        damages[i].apply(engine, file, more);
        const rung_result result = use(&key);
        if (result != RUNG_INTEGRITY || !strstr(rung_last_error(), "it is removed"))
            fail_msg("%s: %s", damages[i].name, rung_last_error());
        assert_int_equal(use(&key), RUNG_NOT_FOUND);
        build(&key);
        assert_int_equal(use(&key), RUNG_OK);
        assert_int_equal(rung__folder_remove(root), RUNG_OK);
    }
}

static void no_flipped_bit_is_used_and_each_is_built_again(void **state)
{
    (void)state;
    char path[600];
    const char *wanted = getenv("RUNG_TEST_FLIPS");
    const unsigned flips = wanted ? (unsigned)strtoul(wanted, NULL, 10) : FLIPS;
    const uint32_t seed = (uint32_t)time(NULL);
    unsigned served = 0, rebuilt = 0;
    const struct rung__engine_key key = plain_key();
    static const char *const files[] = {"files/a.blob", "files/more/b.blob"};
    printf("seed %u\n", seed);
    srandom(seed);
    build(&key);
    for (unsigned i = 0; i < flips; i++) {
        in_engine(path, &key, files[random() & 1]);
        change_byte(path, (uint64_t)random() % ENGINE_SIZE, (uint8_t)(1u << (random() & 7)));
        served += use(&key) == RUNG_OK;
        build(&key);
        rebuilt += use(&key) == RUNG_OK;
    }
    printf("%u bits flipped: %u served, %u built again\n", flips, served, rebuilt);
    assert_int_equal(served, 0);
    assert_int_equal(rebuilt, flips);
}

/** What a record says may be other, but never what is served for it: use() compares. */
static void a_flipped_bit_of_the_record_serves_nothing_else(void **state)
{
    (void)state;
    char path[600];
    struct stat status;
    const struct rung__engine_key key = plain_key();
    build(&key);
    in_engine(path, &key, "record.json");
    assert_int_equal(stat(path, &status), 0);
    for (off_t i = 0; i < status.st_size; i++) {
        change_byte(path, (uint64_t)i, (uint8_t)(1u << (i & 7)));
        if (use(&key) == RUNG_OK)
            change_byte(path, (uint64_t)i, (uint8_t)(1u << (i & 7)));
        else
            build(&key);
        assert_int_equal(use(&key), RUNG_OK);
    }
}

/* ---- folders that are of no use ---- */

static void a_folder_that_is_not_the_users_alone_is_not_used(void **state)
{
    (void)state;
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key();
    build(&key);
    for (int i = 0; i < 2; i++) {
        const char *folder = i ? root : cache;
        assert_int_equal(chmod(folder, 0777), 0);
        assert_int_equal(use(&key), RUNG_PERMISSION);
        assert_int_equal(begin(&key, &part), RUNG_PERMISSION);
        assert_int_equal(chmod(folder, 0700), 0);
    }
    assert_int_equal(use(&key), RUNG_OK);
    char elsewhere[300];
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", cache);
    assert_int_equal(rename(root, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, root), 0);
    assert_int_equal(use(&key), RUNG_PERMISSION);
}

static void a_file_in_the_place_of_the_folder_is_told(void **state)
{
    (void)state;
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key();
    save_text(cache, "no folder");
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    assert_int_equal(begin(&key, &part), RUNG_IO);
}

/* ---- what is made ---- */

static void nothing_made_is_no_engine(void **state)
{
    (void)state;
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key();
    assert_int_equal(begin(&key, &part), RUNG_OK);
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_INTEGRITY);
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    assert_nothing_left();
}

static void what_no_engine_may_hold_is_not_kept(void **state)
{
    (void)state;
    char path[700];
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key();
    assert_int_equal(begin(&key, &part), RUNG_OK);
    write_engine(part.folder);
    snprintf(path, sizeof path, "%s/link", part.folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_INTEGRITY);
    assert_int_equal(begin(&key, &part), RUNG_OK);
    snprintf(path, sizeof path, "%s/line\nfeed", part.folder);
    save_text(path, "");
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_INTEGRITY);
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    assert_nothing_left();
}

static void a_full_disk_is_told_from_a_build_that_failed(void **state)
{
    (void)state;
    struct rlimit before, small;
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key();
    assert_int_equal(begin(&key, &part), RUNG_OK);
    assert_int_equal(rung__engine_part_check_room(&part), RUNG_OK);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    const rung_result result = rung__engine_part_check_room(&part);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(result, RUNG_IO);
    write_engine(part.folder);
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_OK);
    assert_int_equal(use(&key), RUNG_OK); /* nothing of it is left in the engine */
}

static void one_build_goes_on_at_a_time(void **state)
{
    (void)state;
    struct rung__engine_part part, second;
    const struct rung__engine_key key = plain_key();
    const struct rung__engine_key other = key_of("tensorrt", "0123", "device=1");
    assert_int_equal(begin(&key, &part), RUNG_OK);
    assert_int_equal(begin(&key, &second), RUNG_BUSY);
    assert_int_equal(begin(&other, &second), RUNG_BUSY);
    assert_int_equal(rung__engine_part_begin(&store, &key, rung__clock_now() + 20000000, &second),
                     RUNG_TIMEOUT);
    write_engine(part.folder);
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_OK);
    assert_int_equal(begin(&key, &second), RUNG_ALREADY_EXISTS);
    assert_int_equal(begin(&other, &second), RUNG_OK);
    rung__engine_part_drop(&second);
}

/** In a process that is killed in the middle of its build, with an engine in use. */
static void die_building(const struct rung__engine_key *key, const struct rung__engine_key *used)
{
    struct rung__engine_use use_of;
    struct rung__engine_part part;
    if (rung__engine_use(&store, used, &use_of) != RUNG_OK ||
        rung__engine_part_begin(&store, key, 0, &part) != RUNG_OK)
        _exit(1);
    write_engine(part.folder);
    raise(SIGKILL);
}

static void what_dead_processes_left_is_swept(void **state)
{
    (void)state;
    struct rung__engine_use held;
    const struct rung__engine_key key = plain_key();
    const struct rung__engine_key used = key_of("tensorrt", "0123", "device=1");
    build(&used);
    assert_int_equal(rung__engine_use(&store, &used, &held), RUNG_OK);
    const pid_t child = fork();
    if (child == 0)
        die_building(&key, &used);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(names_in(root, '.'), 2 + 1 + 2 + 2); /* locks, a part, two copies */
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    build(&key);
    assert_int_equal(use(&key), RUNG_OK);
    assert_true(holds(held.folder, "a.blob", 1)); /* of a process that lives */
    rung__engine_use_finish(&held);
    assert_nothing_left();
}

/* ---- all of them ---- */

static void set_used(const struct rung__engine_key *key, time_t seconds)
{
    char path[600];
    const struct timeval times[2] = {{seconds, 0}, {seconds, 0}};
    in_engine(path, key, "record.json");
    assert_int_equal(utimes(path, times), 0);
}

static void those_least_recently_used_go_first(void **state)
{
    (void)state;
    struct rung__engine_key keys[4];
    for (int i = 0; i < 4; i++) {
        char device[16];
        snprintf(device, sizeof device, "device=%d", i);
        keys[i] = key_of("tensorrt", "0123", device);
    }
    store.most_bytes = UINT64_C(3) * 2 * ENGINE_SIZE;
    for (int i = 0; i < 3; i++) {
        build(&keys[i]);
        set_used(&keys[i], 1000 + i);
    }
    assert_int_equal(use(&keys[0]), RUNG_OK); /* now the one that was used last */
    build(&keys[3]);
    assert_int_equal(use(&keys[1]), RUNG_NOT_FOUND);
    assert_int_equal(use(&keys[0]), RUNG_OK);
    assert_int_equal(use(&keys[2]), RUNG_OK);
    assert_int_equal(use(&keys[3]), RUNG_OK);
}

static void one_that_takes_more_than_all_may_is_refused(void **state)
{
    (void)state;
    struct rung__engine_part part;
    const struct rung__engine_key key = plain_key(), other = key_of("tensorrt", "0123", "d=1");
    build(&other);
    store.most_bytes = 2 * ENGINE_SIZE - 1;
    assert_int_equal(begin(&key, &part), RUNG_OK);
    write_engine(part.folder);
    assert_int_equal(rung__engine_part_keep(&store, &key, &part), RUNG_CAPACITY);
    assert_int_equal(use(&other), RUNG_OK);
    assert_nothing_left();
}

struct tally {
    unsigned right, damaged;
};

static void count(void *user, const struct rung__engine_entry *entry)
{
    struct tally *tally = user;
    tally->right += entry->result == RUNG_OK;
    tally->damaged += entry->result == RUNG_INTEGRITY && entry->reason[0];
}

static struct tally list(enum rung__engine_care care)
{
    struct tally tally = {0};
    assert_int_equal(rung__engine_list(&store, care, count, &tally), RUNG_OK);
    return tally;
}

static void a_list_tells_what_is_there_and_verifying_removes_damage(void **state)
{
    (void)state;
    char path[600];
    const struct rung__engine_key key = plain_key(), other = key_of("tensorrt", "0123", "d=1");
    assert_int_equal(list(RUNG__ENGINES_VERIFY).right, 0);
    build(&key);
    build(&other);
    change_byte(in_engine(path, &key, "files/a.blob"), 5, 4);
    struct tally tally = list(RUNG__ENGINES_LOOK);
    assert_true(tally.right == 2 && tally.damaged == 0);
    tally = list(RUNG__ENGINES_VERIFY);
    assert_true(tally.right == 1 && tally.damaged == 1);
    tally = list(RUNG__ENGINES_VERIFY);
    assert_true(tally.right == 1 && tally.damaged == 0);
}

static void clearing_leaves_what_is_in_use(void **state)
{
    (void)state;
    uint32_t number;
    uint64_t bytes;
    struct rung__engine_use used;
    const struct rung__engine_key key = plain_key(), other = key_of("tensorrt", "0123", "d=1");
    assert_int_equal(rung__engine_clear(&store, &number, &bytes), RUNG_OK);
    assert_int_equal(number, 0);
    build(&key);
    build(&other);
    assert_int_equal(rung__engine_use(&store, &key, &used), RUNG_OK);
    assert_int_equal(rung__engine_clear(&store, &number, &bytes), RUNG_OK);
    assert_true(number == 2 && bytes == UINT64_C(4) * ENGINE_SIZE);
    assert_true(holds(used.folder, "a.blob", 1));
    rung__engine_use_finish(&used);
    assert_int_equal(use(&key), RUNG_NOT_FOUND);
    assert_nothing_left();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_test_folder)
    const struct CMUnitTest tests[] = {
        TEST(an_engine_comes_back_as_it_was_built),
        TEST(the_folder_is_marked_and_private),
        TEST(what_a_provider_does_to_its_copy_changes_no_engine),
        TEST(what_differs_in_anything_has_its_own_engine),
        TEST(no_damage_is_used_and_each_is_built_again),
        TEST(no_flipped_bit_is_used_and_each_is_built_again),
        TEST(a_flipped_bit_of_the_record_serves_nothing_else),
        TEST(a_folder_that_is_not_the_users_alone_is_not_used),
        TEST(a_file_in_the_place_of_the_folder_is_told),
        TEST(nothing_made_is_no_engine),
        TEST(what_no_engine_may_hold_is_not_kept),
        TEST(a_full_disk_is_told_from_a_build_that_failed),
        TEST(one_build_goes_on_at_a_time),
        TEST(what_dead_processes_left_is_swept),
        TEST(those_least_recently_used_go_first),
        TEST(one_that_takes_more_than_all_may_is_refused),
        TEST(a_list_tells_what_is_there_and_verifying_removes_damage),
        TEST(clearing_leaves_what_is_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
