// Everybody outside who could hear something: sockets, pipes and terminals of the test.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace husk::redteam {

class Listeners {
public:
    // Sockets with a path come into `dir`. `secret` is the name of one that nobody was told of.
    Listeners(const std::filesystem::path& dir, const std::string& secret);
    ~Listeners();
    Listeners(const Listeners&) = delete;
    Listeners& operator=(const Listeners&) = delete;

    // What scripts are told of them: names and values of variables.
    const std::map<std::string, std::string>& names() const { return names_; }
    // A port that scripts are not told of.
    int hidden_port() const { return hidden_port_; }
    // Ends that a careless caller would leave open.
    int socket_end() const { return socket_end_; }
    int pipe_end() const { return pipe_end_; }

    // Hears what comes out of this, too; takes it over.
    void listen_to(int fd);
    // Adds what was found otherwise.
    void note(const std::string& text);
    bool have_heard(const std::string& mark) const;

private:
    void open_internet();
    void open_udp_lite(int port);
    void open_unix(const std::filesystem::path& dir, const std::string& secret);
    void open_rest();
    int bound(int family, int type, const std::string& host, const std::string& name);
    void bind_unix(int type, const std::string& path, const std::string& name);
    void hear_until_told();
    void hear(int fd);
    void call_servers();

    std::map<std::string, std::string> names_;
    int hidden_port_ = 0;
    int socket_end_ = -1;
    int pipe_end_ = -1;
    int gift_server_ = -1;
    int gift_ = -1;
    uint16_t serve_port_ = 0;
    int serve_datagram_ = -1;
    mutable std::mutex mutex_;
    std::map<int, std::string> heard_;  // from each
    std::vector<int> fds_;
    std::vector<int> servers_;
    std::vector<int> callers_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

}  // namespace husk::redteam
