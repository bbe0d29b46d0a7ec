// The clients' keys by the API.
import { json, Router } from 'express';
import { authorOf } from './author.ts';
import { visitorIn } from './authenticate.ts';
import type { ClientKeys } from './source.ts';

export function keyRoutes(keys: ClientKeys): Router {
  const routes = Router();
  routes.get('/', (_request, response) => void response.json(keys.list()));
  routes.post('/', json({ limit: '64kb' }), async (request, response) => {
    response.status(201).json(await keys.create(request.body, authorOf(request, visitorIn(response))));
  });
  routes.delete('/:id', async (request, response) => {
    response.json(await keys.revoke(request.params.id));
  });
  return routes;
}
