// SPDX-License-Identifier: Apache-2.0
// The same as consumer.c, as a C++ program would do it.
#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <rung/rung.h>

namespace {

void check(rung_result result, const std::string &what)
{
    if (result != RUNG_OK)
        throw std::runtime_error(what + ": " + rung_result_name(result) + ": " + rung_last_error());
}

template <typename T> T extensible()
{
    T value{};
    value.struct_size = sizeof value;
    value.version = RUNG_STRUCT_VERSION;
    return value;
}

template <auto destroy> struct deleter {
    template <typename T> void operator()(T *object) const { destroy(object); }
};
using instance_ptr = std::unique_ptr<rung_instance, deleter<rung_instance_destroy>>;
using model_ptr = std::unique_ptr<rung_model, deleter<rung_model_destroy>>;
using context_ptr = std::unique_ptr<rung_context, deleter<rung_context_destroy>>;

std::vector<unsigned char> read_pixels(std::size_t size)
{
    std::vector<unsigned char> pixels(size);
    if (!std::cin.read(reinterpret_cast<char *>(pixels.data()), static_cast<std::streamsize>(size)))
        throw std::runtime_error("too few pixels on standard input");
    return pixels;
}

void run(const char *path, std::uint32_t width, std::uint32_t height)
{
    const auto pixels = read_pixels(std::size_t{3} * width * height);
    rung_instance *instance = nullptr;
    check(rung_instance_create(nullptr, &instance), "instance");
    const instance_ptr instance_owner(instance);
    rung_model *model = nullptr;
    check(rung_model_open(instance, path, nullptr, &model), path);
    const model_ptr model_owner(model);
    rung_context *context = nullptr;
    check(rung_context_create(model, nullptr, &context), "context");
    const context_ptr context_owner(context);

    auto frame = extensible<rung_frame>();
    frame.pixels = pixels.data();
    frame.width = width;
    frame.height = height;
    frame.format = RUNG_PIXEL_RGB8;
    auto info = extensible<rung_run_info>();
    std::uint64_t needed = 0;
    check(rung_context_get_max_output_bytes(context, &needed), "size");
    std::vector<std::uint64_t> packet((needed + 7) / 8); // 8-byte aligned
    check(rung_detect(context, &frame, {packet.data(), packet.size() * 8}, nullptr, &info), "detect");

    std::cout << info.rung << '\n';
    const auto *header = reinterpret_cast<const rung_packet_header *>(packet.data());
    const auto *targets = reinterpret_cast<const rung_target *>(packet.data() + header->targets_offset / 8);
    for (std::uint32_t i = 0; i < header->count; i++) {
        const char *label = nullptr;
        (void)rung_model_get_label(model, targets[i].class_id, &label);
        const auto &t = targets[i];
        std::cout << label << ' ' << t.confidence << ' ' << t.x << ' ' << t.y << ' ' << t.w << ' ' << t.h << '\n';
    }
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 4)
        return 2;
    try {
        run(arguments[1], static_cast<std::uint32_t>(std::stoul(arguments[2])),
            static_cast<std::uint32_t>(std::stoul(arguments[3])));
    } catch (const std::exception &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
