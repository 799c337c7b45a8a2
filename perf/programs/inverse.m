% Inverts a matrix of single precision by Newton's iteration, X <- X (2 I - A X) (Schulz 1933): a chain of
% products A * B.
%
%     octave-cli --norc inverse.m N ITERATIONS

words = argv();
if numel(words) < 2
  error("usage: inverse.m N ITERATIONS");
end
n = str2double(words{end - 1});
iterations = str2double(words{end});
rand("twister", 1);
a = single(eye(n)) + single(0.5 / sqrt(n)) * single(2 * rand(n) - 1);

tic;
x = a' / (norm(a, 1) * norm(a, Inf));
two = 2 * eye(n, "single");
for i = 1:iterations
  y = a * x;
  x = x * (two - y);
end
seconds = toc;

told = 32;
group = 1 + floor((0:n - 1) * told / n);
printf("seconds %.6f\n", seconds);
printf("sums");
printf(" %.12g", accumarray(group', sum(double(x), 2), [told, 1]));
printf("\n");
