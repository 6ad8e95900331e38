// Two clients take the same lock twice, work for 300 ms, and call what lock() has given them.
const redisLock = require('redis-lock');
const { createClient } = require('redis');

const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function work(client) {
  await client.connect();
  const lock = redisLock(client);
  for (let round = 0; round < 2; round++) {
    const done = await lock('jobs', 2000);
    await pause(300);
    await done();
  }
}

const clients = [1, 2].map(() => createClient({ url: process.env.REDIS_URL }));
Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
