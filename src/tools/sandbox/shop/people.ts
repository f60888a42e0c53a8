import type { Login } from "../account/users.ts";
import { CASHIER, type Person } from "../caller/shop.ts";
import { EMPLOYEE } from "../types/parties/employee.ts";
import type { Furniture, Pointer } from "./furniture.ts";

/** People of the shop in their order: the administrator gets the first login, other users the next. */
const PEOPLE: readonly (Person & { position: string })[] = [
  { lastName: "Соколова", firstName: "Анна", middleName: "Сергеевна", position: "Директор" },
  { ...CASHIER, position: "Старший кассир" },
  { lastName: "Петров", firstName: "Дмитрий", middleName: "Олегович", position: "Продавец-кассир" },
  { lastName: "Кузнецова", firstName: "Ольга", middleName: "Игоревна", position: "Товаровед" },
  { lastName: "Морозов", firstName: "Илья", middleName: "Андреевич", position: "Кладовщик" },
];
/** People who are there although they have no login. */
const AT_LEAST = 3;

/** The key of the person who owns everything. */
export const DIRECTOR = "0";

/** Employees with their logins. A login beyond the named people belongs to one who is called after it. */
export function placePeople(shop: Furniture, logins: readonly Login[]): readonly Pointer[] {
  return Array.from({ length: Math.max(AT_LEAST, logins.length) }, (_, index) => {
    const login = logins[index];
    const person = PEOPLE[index] ?? { lastName: login?.login ?? "" };
    const employee = shop.place(EMPLOYEE, String(index), {
      ...person,
      email: `employee${index + 1}@shop.example`,
      ...(login === undefined ? {} : { uid: login.login }),
    });
    if (login !== undefined) shop.put({ type: "login", id: login.login }, { ...login, employee });
    return employee;
  });
}
