import type { Login } from "../account/users.ts";
import { CASHIER, type Person } from "../caller/shop.ts";
import { EMPLOYEE } from "../types/parties/employee.ts";
import type { Pointer, ShopContents } from "./shop-contents.ts";

/** People of the shop in order: first the administrator, then other users. */
const PEOPLE: readonly (Person & { position: string })[] = [
  { lastName: "Соколова", firstName: "Анна", middleName: "Сергеевна", position: "Директор" },
  { ...CASHIER, position: "Старший кассир" },
  { lastName: "Петров", firstName: "Дмитрий", middleName: "Олегович", position: "Продавец-кассир" },
  { lastName: "Кузнецова", firstName: "Ольга", middleName: "Игоревна", position: "Товаровед" },
  { lastName: "Морозов", firstName: "Илья", middleName: "Андреевич", position: "Кладовщик" },
];
/** The least number of people, even without logins. */
const AT_LEAST = 3;

/** The key of the owner of all objects. */
export const DIRECTOR = "0";

/** Adds employees with their logins. Beyond the named people, an employee is named after the login. */
export function placePeople(shop: ShopContents, logins: readonly Login[]): readonly Pointer[] {
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
