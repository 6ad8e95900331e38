// Two clients call using() for the same resource twice, and work until it was extended.
const { Redlock } = require('@sesamecare-oss/redlock');
const { default: Redis } = require('ioredis');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  const redlock = new Redlock([client]);
  for (let round = 0; round < 2; round++) {
    try {
      await redlock.using(['jobs'], 1200, () => pause(1000));
    } catch (error) {
      console.error(error.message);
    }
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
