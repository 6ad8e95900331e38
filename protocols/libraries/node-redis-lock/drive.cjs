// Two clients take the same key three times, work for 300 ms, and release it; who is refused asks again later.
const { promisify } = require('util');
const redis = require('redis');
const Lock = require('node-redis-lock');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const lock = new Lock({}, client);
  const acquire = promisify(lock.acquire.bind(lock));
  const release = promisify(lock.release.bind(lock));
  for (let round = 0; round < 3; round++) {
    try {
      await acquire('jobs', 2);
      await pause(300);
      await release('jobs');
    } catch (error) {
      console.error(error.message);
      await pause(200);
    }
  }
}

const clients = [1, 2].map(() => redis.createClient(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.quit()));
