// Two clients call using() of their SimpleLock for the same key, and work until it was extended.
const { default: Redis } = require('ioredis');
const { IoredisAdapter, createLock } = require('redlock-universal');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const lock = createLock({ adapter: new IoredisAdapter(client), key: 'jobs', ttl: 1500 });
  for (let round = 0; round < 3; round++) {
    try {
      await lock.using(() => pause(1300));
    } catch (error) {
      console.error(error.message);
      await pause(500);
    }
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
