"""redis_client: python3-redis as the tests and the benchmark use it. Replies are as Redis sends them, texts decoded."""

import redis

from processes import PATIENCE


class Client:
    """Connects with its first command, and again after Redis was restarted. Threads may share it."""

    def __init__(self, path, user=None, password=None):
        self.redis = redis.Redis(unix_socket_path=str(path), username=user, password=password, socket_timeout=PATIENCE,
                                 decode_responses=True, encoding_errors="replace")
        self.redis.response_callbacks.clear()  # or an INFO would be a dictionary, and a 1 a True

    def command(self, *words):
        """The reply. Throws redis.RedisError for an error and without a connection."""
        return self.redis.execute_command(*words)

    def commands(self, commands, raise_on_error=True):
        """The replies to many commands that are sent at once; errors among them if they are not to be thrown."""
        pipeline = self.redis.pipeline(transaction=False)
        for words in commands:
            pipeline.execute_command(*words)
        return pipeline.execute(raise_on_error)

    def close(self):
        self.redis.close()
        self.redis.connection_pool.disconnect()
