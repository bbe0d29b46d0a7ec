// VMs one by one, and what a person does by hand: to the fleet, and to problems.
import { json, Router, type Request, type RequestHandler } from 'express';
import { VM_DEEDS } from '../act/by-hand.ts';
import { problemName } from '../loop/view.ts';
import { visitorIn } from './authenticate.ts';
import { authorOf } from './author.ts';
import { Refusal } from './protect.ts';
import type { AdminSource } from './source.ts';

/** VMs that one request may add. */
const MOST_ADDED = 1_000;

export function handRoutes(source: AdminSource): Router {
  const routes = Router();
  const body = json({ limit: '64kb' });
  const find = (id: string) => {
    const { vms, work } = source.view();
    return [...vms, ...(work?.vms ?? [])].find((vm) => vm.id === id);
  };

  routes.post('/vms', body, async (request, response) => {
    const { count = 1 } = objectIn(request) as { readonly count?: unknown };
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MOST_ADDED)
      throw new Refusal(400, `count is a whole number from 1 to ${MOST_ADDED}.`);
    await source.byHand({ what: 'add', count }, authorOf(request, visitorIn(response)));
    response.status(202).json({ added: count });
  });

  routes.get('/vms/:id', async (request, response) => {
    const { id } = request.params;
    const page = await source.vm(id);
    if (page === undefined) throw new Refusal(404, `There is no VM ${id} in this group.`);
    response.json(page);
  });

  for (const what of VM_DEEDS) {
    const act: RequestHandler<{ id: string }> = async (request, response) => {
      const { id } = request.params;
      if (find(id) === undefined) throw new Refusal(404, `There is no VM ${id} in this group.`);
      await source.byHand({ what, vm: id }, authorOf(request, visitorIn(response)));
      response.json({ vm: find(id) ?? null });
    };
    routes.post(`/vms/:id/${what}`, act);
  }

  routes.post('/problems/acknowledge', body, (request, response) => {
    const { problem } = objectIn(request) as { readonly problem?: unknown };
    const isIt = (one: Parameters<typeof problemName>[0]): boolean => problemName(one) === problem;
    if (typeof problem !== 'string' || !source.view().problems.some(isIt))
      throw new Refusal(404, 'There is no such problem now: name its condition, or its sentence as /api/state has it.');
    source.acknowledge(problem, authorOf(request, visitorIn(response)));
    response.json({ problem: source.view().problems.find(isIt) ?? null });
  });
  return routes;
}

function objectIn(request: Request): object {
  const body: unknown = request.body ?? {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body is a JSON object.');
  return body;
}
