// Two clients with one lock object each take the same key three times, work for 150 ms, and release it.
import { setTimeout as pause } from 'node:timers/promises';
import { createLock } from '@microfleet/ioredis-lock';
import { Redis } from 'ioredis';

async function work(client) {
  const lock = createLock(client, { timeout: 2000 });
  for (let round = 0; round < 3; round++) {
    try {
      await lock.acquire('jobs');
    } catch (error) {
      console.error(error.message);
      continue;
    }
    await pause(150);
    await lock.release();
  }
}

const clients = [1, 2].map(() => new Redis(process.env.REDIS_URL));
await Promise.all(clients.map(work)).finally(() => clients.forEach(client => client.disconnect()));
