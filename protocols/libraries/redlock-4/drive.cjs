// Two clients lock the same resource twice, work for 300 ms, and unlock it.
const redis = require('redis');
const Redlock = require('redlock');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const redlock = new Redlock([client]);
  for (let round = 0; round < 2; round++) {
    const lock = await redlock.lock('jobs', 2000);
    await pause(300);
    await lock.unlock();
  }
}

const clients = [1, 2].map(() => redis.createClient(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.quit()));
