// Two clients call withLock() for the same key twice, extended when 1 s is left, and work for 600 ms.
const { Redlock } = require('@redis-kit/lock');
const { createClient } = require('redis');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  await client.connect();
  const redlock = new Redlock([client]);
  for (let round = 0; round < 2; round++) {
    try {
      await redlock.withLock('jobs', 1500, () => pause(600), { extensionThresholdMs: 1000 });
    } catch (error) {
      console.error(error.message);
    }
  }
}

const clients = [1, 2].map(() => createClient({ url: process.env.REDIS_URL }));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.destroy()));
