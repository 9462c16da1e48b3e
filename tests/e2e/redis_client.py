"""redis_client: python3-redis for the tests and the benchmark. Replies are unconverted, texts are decoded."""

import redis

from processes import PATIENCE


class Client:
    """Connects with its first command, and reconnects after a restart of Redis. Threads may share it."""

    def __init__(self, path=None, user=None, password=None, port=None):
        """Either a unix socket or a port of 127.0.0.1."""
        where = {"port": port} if path is None else {"unix_socket_path": str(path)}
        self.redis = redis.Redis(**where, username=user, password=password, socket_timeout=PATIENCE,
                                 decode_responses=True, encoding_errors="replace")
        self.redis.response_callbacks.clear()  # otherwise INFO would return a dictionary, and 1 would become True

    def command(self, *words):
        """Returns the reply. Throws redis.RedisError for an error reply and without a connection."""
        return self.redis.execute_command(*words)

    def commands(self, commands, raise_on_error=True):
        """Returns the replies to commands that are sent in one batch. With raise_on_error=False, errors are among
        them."""
        pipeline = self.redis.pipeline(transaction=False)
        for words in commands:
            pipeline.execute_command(*words)
        return pipeline.execute(raise_on_error)

    def close(self):
        self.redis.close()
        self.redis.connection_pool.disconnect()


class ClusterClient(Client):
    """Sends each command to the node of its key."""

    def __init__(self, ports, user=None, password=None):  # pylint: disable=super-init-not-called
        nodes = [redis.cluster.ClusterNode("127.0.0.1", port) for port in ports]
        self.redis = redis.RedisCluster(startup_nodes=nodes, username=user, password=password, decode_responses=True,
                                        encoding_errors="replace", socket_timeout=PATIENCE)
        self.redis.result_callbacks.clear()

    def commands(self, commands, raise_on_error=True):
        pipeline = self.redis.pipeline()
        for words in commands:
            pipeline.execute_command(*words)
        return pipeline.execute(raise_on_error)

    def close(self):
        self.redis.close()
