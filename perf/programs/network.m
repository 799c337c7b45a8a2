% Trains a network of one hidden layer with Octave, single precision: bias, tanh, squared error, gradient descent.
%
%     octave-cli --norc network.m BATCH INPUTS HIDDEN OUTPUTS STEPS

words = argv();
if numel(words) < 5
  error("usage: network.m BATCH INPUTS HIDDEN OUTPUTS STEPS");
end
sizes = cellfun(@str2double, words(end - 4:end));
[batch, inputs, hidden, outputs, steps] = num2cell(sizes){:};
rate = single(0.5 / batch);
rand("twister", 1);
uniform = @(rows, columns) single(2 * rand(rows, columns) - 1);
first = uniform(hidden, inputs) / sqrt(single(inputs));
second = uniform(outputs, hidden) / sqrt(single(hidden));
first_bias = zeros(hidden, 1, "single");
second_bias = zeros(outputs, 1, "single");
data = uniform(inputs, batch);
wanted = sin(3 * data(1:outputs, :)); % each output has an input of its own

losses = zeros(1, steps);
tic;
for i = 1:steps
  middle = tanh(first * data + first_bias);
  missing = second * middle + second_bias - wanted;
  losses(i) = sumsq(double(missing(:))) / batch;
  back = (second' * missing) .* (1 - middle .^ 2);
  second -= rate * (missing * middle');
  second_bias -= rate * sum(missing, 2);
  first -= rate * (back * data');
  first_bias -= rate * sum(back, 2);
end
seconds = toc;

printf("seconds %.6f\n", seconds);
printf("losses");
printf(" %.12g", losses);
printf("\nweights %.12g\n", sumsq(double(first(:))));
