// Two clients with one lock object each take the same key three times, work for 300 ms, and release it.
const redis = require('redis');
const { createLock } = require('redislock');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const lock = createLock(client, { timeout: 2000 });
  for (let round = 0; round < 3; round++) {
    try {
      await lock.acquire('jobs');
    } catch (error) {
      console.error(error.message);
      await pause(200);
      continue;
    }
    await pause(300);
    await lock.release();
  }
}

const clients = [1, 2].map(() => redis.createClient(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.quit()));
