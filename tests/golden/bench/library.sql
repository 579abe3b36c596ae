CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE branch (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE member (id INTEGER PRIMARY KEY, full_name TEXT, branch_id INTEGER REFERENCES branch(id));
CREATE TABLE book (
    id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author(id),
    genre TEXT, pages INTEGER, published_year INTEGER
);
CREATE TABLE loan (
    id INTEGER PRIMARY KEY, book_id INTEGER REFERENCES book(id), member_id INTEGER REFERENCES member(id),
    days INTEGER, fee INTEGER
);
INSERT INTO author VALUES (1, 'Astrid Moe', 'Norway'), (2, 'Leo Brandt', 'Austria'), (3, 'Ines Prado', 'Spain'),
    (4, 'Knut Lien', 'Norway');
INSERT INTO branch VALUES (1, 'North'), (2, 'West');
INSERT INTO member VALUES (1, 'Ada Berg', 1), (2, 'Bo Falk', 2), (3, 'Cy Dorn', 2), (4, 'Di Ems', 1);
INSERT INTO book VALUES
    (1, 'Fjord', 1, 'novel', 320, 1985), (2, 'Ice', 1, 'novel', 280, 1992), (3, 'Danube', 2, 'novel', 410, 2001),
    (4, 'Maps', 2, 'atlas', 2400, 1979), (5, 'Sol', 3, 'poems', 90, 1995), (6, 'Mar', 3, 'novel', 150, 2005),
    (7, 'Stone', 4, 'poems', 120, 1999), (8, 'Alps', 2, 'essay', 350, 2010), (9, 'Tormenta', 3, 'novel', 500, 2012);
INSERT INTO loan VALUES
    (1, 1, 1, 25, 0), (2, 2, 1, 10, 3), (3, 3, 2, 30, 0), (4, 1, 3, 28, 0), (5, 5, 2, 7, 2), (6, 4, 3, 14, 5),
    (7, 3, 1, 40, 0), (8, 8, 2, 12, 1);
