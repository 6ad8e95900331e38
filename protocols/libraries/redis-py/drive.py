# Two threads take the same lock twice, work for 300 ms, and release it.
import os
import threading
import time

import redis

client = redis.Redis.from_url(os.environ["REDIS_URL"])


def work():
    for _ in range(2):
        with client.lock("jobs", timeout=5):
            time.sleep(0.3)


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
